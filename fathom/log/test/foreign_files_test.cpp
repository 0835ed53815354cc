// Logs that others wrote, and folders with other things in them.
#include <gtest/gtest.h>

#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/log/csv_reader.hpp"

namespace fathom::log::foreign_files_test {
namespace {

using fathom::test::spill;
using fathom::test::TemporaryFolder;

void expect_two_rows(const std::string& bytes) {
  const Channel channel = parse_channel(bytes, "folder/pool 1.csv");
  EXPECT_EQ(channel.info.name, "pool 1") << bytes;
  EXPECT_EQ(channel.info.frame, "none");
  ASSERT_EQ(channel.width(), 2u) << bytes;
  EXPECT_EQ(channel.info.columns[0].name, "u");
  EXPECT_EQ(channel.info.columns[1].name, "v");
  EXPECT_EQ(channel.t, (std::vector<double>{0, 0.5})) << bytes;
  EXPECT_EQ(channel.values, (std::vector<double>{1, -2, 3, 4.5})) << bytes;
}

TEST(ForeignFile, OfManyKinds) {
  expect_two_rows("t,u,v\n0,1,-2\n0.5,3,4.5\n");
  expect_two_rows("t,u,v\n0,1,-2\n0.5,3,4.5");                  // no final line break
  expect_two_rows("t,u,v\r\n0,1,-2\r\n0.5,3,4.5\r\n\r\n");      // DOS, and a blank line
  expect_two_rows("\xef\xbb\xbft,u,v\r\n0,1,-2\r\n0.5,3,4.5");  // Excel
  expect_two_rows("\n# someone's comment\n#channel: no\nt,u,v\n0,1,-2\n0.5,3,4.5\n\n  \n");
  expect_two_rows("\"t\",\"u\",\"v\"\n0,1,-2\n0.5,3,4.5\n");  // R
  expect_two_rows("t, u , v\n 0, 1, -2\n 0.5 ,+3,\t4.5\n");
  expect_two_rows("u,t,v\n1,0,-2\n3,0.5,4.5\n");
  expect_two_rows("u,v,t [s]\n1,-2,0\n3,4.5,5e-1\n");
  expect_two_rows("t,u,v\n0.000000000000000000e+00,1.0E0,-2.\n0.5,3,4.5\n");  // numpy.savetxt
}

TEST(ForeignFile, MissingValues) {
  const Channel channel = parse_channel("t,u,v\n0,,nan\n1,NaN,-nan\n2, ,\n", "a.csv");
  EXPECT_EQ(channel.size(), 3u);
  for (const double x : channel.values) EXPECT_TRUE(std::isnan(x));
}

TEST(ForeignFile, UnitsMayBeThere) {
  const Channel channel = parse_channel("t [s],u [m/s],v[rad]\n0,1,2\n", "a.csv");
  EXPECT_EQ(channel.info.columns, (std::vector<Column>{{"u", "m/s"}, {"v", "rad"}}));
}

TEST(Folder, TellsWhatItLeftOutAndWhatIsForeign) {
  const TemporaryFolder folder;
  spill(folder / "depth.csv", "t,z\n0,1\n");
  spill(folder / "imu.csv", "# fathom log 1\nt,u\n0,1\n");
  spill(folder / "table.csv", "name,value\na,1\n");
  spill(folder / "gps.csv.part", "# fathom log 1\nt,u\n0,");
  spill(folder / "summary.json", "{}");
  std::filesystem::create_directory(folder / "x.csv");
  const Dataset dataset = read_dataset(folder.path());
  ASSERT_EQ(dataset.channels().size(), 2u);
  EXPECT_TRUE(dataset.has("depth") && dataset.has("imu"));
  ASSERT_EQ(dataset.notes.size(), 3u);
  EXPECT_EQ(dataset.notes[0].severity, Severity::note);
  EXPECT_EQ(
      dataset.notes[0].text(),
      (folder / "depth.csv").string() +
          ": was not written by Fathom; read as channel 'depth' (its units and frame are taken as they stand)");
  EXPECT_EQ(dataset.notes[1].severity, Severity::warning);
  EXPECT_EQ(dataset.notes[1].text(),
            (folder / "gps.csv.part").string() +
                ": was left out: the run that wrote it did not end (read_channel reads it)");
  EXPECT_EQ(dataset.notes[2].severity, Severity::warning);
  EXPECT_EQ(dataset.notes[2].text(), (folder / "table.csv").string() +
                                         ": is not a channel and was left out: has no column t "
                                         "(expected a header such as t [s],u [m/s],v [m/s])");
}

}  // namespace
}  // namespace fathom::log::foreign_files_test
