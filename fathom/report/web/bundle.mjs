// Bundles the page's script and style from src/ and the npm packages, and writes them as a C++ source.
// node bundle.mjs NODE_MODULES OUT.cpp
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [modules, out] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(join(modules, "_"))("esbuild");

const { outputFiles } = await esbuild.build({
  entryPoints: [join(here, "src/main.js")],
  nodePaths: [modules],
  outdir: dirname(out),
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2020",
  charset: "ascii",
  legalComments: "none", // the whole licences stand in the page instead
  logLevel: "warning",
});
const text = (end) => outputFiles.find((file) => file.path.endsWith(end)).text.trim();
const script = text(".js");
const style = text(".css");
const licences = ["uplot", "three"]
  .map((name) => `${name} ${JSON.parse(readFileSync(join(modules, name, "package.json"))).version}\n` +
    readFileSync(join(modules, name, "LICENSE"), "utf8").replaceAll("\u00a9", "(c)").trim())
  .join("\n\n");

// Inside <script>, <style> and <!-- --> these would end the element, or change how its end is found.
for (const [what, bytes, forbidden] of [["script", script, /<\/script|<!--/i], ["style", style, /<\/style|<!--/i],
  ["licences", licences, /-->|--!>/]]) {
  if (forbidden.test(bytes)) throw new Error(`bundle.mjs: the ${what} contains ${forbidden}`);
  if (/[^\t\n\x20-\x7e]/.test(bytes)) throw new Error(`bundle.mjs: the ${what} is not plain ASCII`);
}

// Literals of moderate length: no compiler has to support longer ones than 65536.
function literals(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 16000) {
    const part = bytes.slice(at, at + 16000);
    const escaped = part.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t").replace(/\?/g, "\\?");
    lines.push(`    "${escaped}"sv,`);
  }
  return lines.join("\n");
}
const array = (name, bytes) =>
  `constexpr std::string_view ${name}_parts[] = {\n${literals(bytes)}\n};\n` +
  `std::span<const std::string_view> ${name}() { return ${name}_parts; }\n`;

writeFileSync(out, `// Made by fathom/report/web/bundle.mjs.
#include "fathom/report/internal/bundle.hpp"

namespace fathom::report::internal {
using namespace std::string_view_literals;

${array("bundle_script", script)}
${array("bundle_style", style)}
${array("bundle_licences", licences)}
std::string_view bundle_script_hash() { return "sha256-${createHash("sha256").update(script).digest("base64")}"; }

}  // namespace fathom::report::internal
`);
