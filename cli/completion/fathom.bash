# bash completion for fathom: verbs, options of the verb, robots and scenarios by name.
_fathom() {
  local cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]:-} words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="demo simulate models lint --help --version"
  elif [[ $cur == -* ]]; then
    case $verb in
      demo | simulate) words="--out --seed --json --help" ;;
      models) words="--density --yaml --json --help" ;;
      lint) words="--density --json --help" ;;
    esac
  else
    case $verb in
      simulate)
        local folder=$(dirname "$(readlink -f "$(command -v fathom)")")/../share/fathom/scenarios
        words=$(cd "$folder" 2>/dev/null && for file in *.yaml; do echo "${file%.yaml}"; done)
        ;;
      models | lint) words=$(fathom models 2>/dev/null | awk 'NR > 1 && /^$/ { exit } NR > 1 && /^[^ ]/ { print $1 }') ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  if [ ${#COMPREPLY[@]} -eq 0 ]; then mapfile -t COMPREPLY < <(compgen -f -- "$cur"); fi
}
complete -F _fathom fathom
