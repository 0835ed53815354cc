# bash completion for fathom: verbs, options of the verb, robots, scenarios and problems by name, files.

# _fathom_shipped FOLDER: names of the files that ship in it.
_fathom_shipped() {
  local program file
  program=$(readlink -f "$(type -P fathom)") || return
  for file in "${program%/bin/*}/share/fathom/$1"/*.yaml; do
    [ -e "$file" ] && basename "$file" .yaml
  done
}

_fathom() {
  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]:-} words="" file
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="demo simulate excite identify validate convert align prior assemble export models lint schema reproduce --help --version"
  elif [ "$previous" = --log ] && [ "$verb" = convert ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    return
  elif [[ $previous =~ ^--(out|log)$ ]]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
    return
  elif [ "$previous" = --to ]; then
    words="gz-sim uuv-simulator rdml urdf stonefish matlab"
  elif [ "$previous" = --as ]; then
    words="schema table dictionary"
  elif [ "$previous" = --criterion ]; then
    words="a-optimal d-optimal condition"
  elif [ "$previous" = --what ]; then
    words="vehicle arm thruster towing decay"
  elif [ "$previous" = --structure ]; then
    words="auto linear diagonal quadratic cross 6dof 6dof-cross 6dof-oblique vehicle-23 vehicle-24 vehicle-25 vehicle-27"
  elif [ "$previous" = --estimator ]; then
    words="auto consistent ordinary weighted total instrumental robust forward"
  elif [ "$previous" = --law ]; then
    words="force shaft motor force+flow shaft+flow motor+flow"
  elif [ "$previous" = --friction ]; then
    words="auto none viscous coulomb direction"
  elif [ "$previous" = --derivatives ]; then
    words="zero-phase spline"
  elif [ "$previous" = --medium ]; then
    words="auto water air"
  elif [ "$previous" = --arm ]; then
    words=$(_fathom_shipped arms)
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  elif [ "$previous" = --current ] && [ "$verb" = identify ]; then
    words="auto none"
  elif [ "$previous" = --origin ]; then
    words="centre_of_mass first_module"
  elif [ "$previous" = --dof ]; then
    words="4 6 auto"
  elif [ "$previous" = --slope ]; then
    words="free symmetric"
  elif [ "$previous" = --ends ]; then
    words="closed open-end open"
  elif [ "$previous" = --for ]; then
    words="fathom gz-sim uuv-simulator stonefish"
  elif [ "$previous" = --robot ]; then
    words=$(_fathom_shipped models)
    mapfile -t COMPREPLY < <(compgen -f -X '!*.yaml' -- "$cur")
  elif [[ $previous =~ ^--(seed|threads|duration|starts|waypoint-interval|rate|periods|delay|current|window|horizon|limit|sensors|without|vehicle|members|density|from|until|voltage|blur|thrust-sigma|unit-sigma|lag|bound|unseen-share|run|column|neutral|name|reference|most|push|pose|fail|columns|gains|hold-out|cutoff|rest-speed|rest-shaft-speed|fit-water|down|spread)$ ]]; then
    return
  elif [[ $cur == -* ]]; then
    case $verb in
      demo) words="--out --seed --threads --json --help" ;;
      simulate) words="--out --seed --json --help" ;;
      excite) words="--duration --criterion --starts --waypoint-interval --rate --periods --out --seed --threads --json --help" ;;
      identify)
        words="--robot --log --sensors --without --vehicle --from --until --voltage --no-sensor-check --density --what --structure --estimator --output-error"
        words+=" --blur --thrust-sigma --unit-sigma --delay --lag --current --no-dry-body --bound --unseen-share --accept-bounds --accept-unseen"
        words+=" --table --column --steps --law --campaign --neutral --name --arm --test --hold-out --columns --by-current --gains --friction"
        words+=" --no-offset --no-motors --derivatives --cutoff --rest-speed --rest-shaft-speed --medium --fit-water --down --spread --out --threads --json --help"
        ;;
      validate)
        words="--robot --log --dof --delay --current --window --slope --ends --measured-tilt --horizon --limit --seen --sensors --without --vehicle"
        words+=" --from --until --voltage --no-sensor-check --members --density --out --seed --threads --json --help"
        ;;
      convert) words="--log --allow-truncated --run --robot --no-sensor-check --out --json --help" ;;
      align) words="--log --robot --reference --most --out --json --help" ;;
      assemble) words="--origin --density --push --pose --fail --out --json --help" ;;
      prior) words="--density --out --json --help" ;;
      export) words="--robot --to --density --out --json --help" ;;
      models) words="--density --yaml --json --help" ;;
      lint) words="--for --density --json --help" ;;
      schema) words="--as --json --help" ;;
      reproduce) words="--list --seed --threads --out --json --help" ;;
    esac
  else
    case $verb in
      schema) words="arm assembly decay description hull problem robot scenario towing trajectory" ;;
      models | lint) words=$(fathom models 2>/dev/null | awk 'NR > 1 && /^$/ { exit } NR > 1 && /^[^ ]/ { print $1 }') ;;
      reproduce) words=$(fathom reproduce --list 2>/dev/null | awk '/^$/ { exit } NR > 1 && /^[^ ]/ { print $1 }') ;;
      simulate | excite | assemble)
        case $verb in
          excite) words=$(_fathom_shipped problems) ;;
          assemble) words=$(_fathom_shipped assemblies) ;;
          *) words=$(_fathom_shipped scenarios) ;;
        esac
        while IFS= read -r file; do
          if [[ -d $file || $file == *.yaml ]]; then COMPREPLY+=("$file"); fi
        done < <(compgen -f -- "$cur")
        compopt -o filenames 2>/dev/null  # a folder gets its slash
        ;;
    esac
  fi
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -W "$words" -- "$cur")
  if [ ${#COMPREPLY[@]} -eq 0 ]; then mapfile -t COMPREPLY < <(compgen -f -- "$cur"); fi
}
complete -F _fathom fathom
