// SPDX-License-Identifier: Apache-2.0
#include "cli/complete/scripts.h"

namespace aliquot::cli {
namespace {

// readline parts words at = and :, which the program does not: they are put together again, and
// what readline keeps is taken off the candidates.
constexpr std::string_view kBash =
    R"script(# bash completion of aliquotctl and kubectl-aliquot; load it with
#   source <(aliquotctl completion bash)
_aliquotctl() {
  local -a words=()
  local i word line candidate files=1 joined=0 last=${COMP_WORDS[COMP_CWORD]}
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ ${#words[@]} -gt 0 && ($word =~ ^[=:]+$ || $joined == 1) ]]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    [[ $word =~ ^[=:]+$ ]] && joined=1 || joined=0
  done
  [[ $last =~ ^[=:]+$ ]] && last=
  local whole=${words[${#words[@]}-1]}
  local kept=${whole%"$last"}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line =~ ^:[0-9]+$ ]]; then
      [[ $line == :0 ]] || files=0
    else
      candidate=${line%%$'\t'*}
      printf -v candidate %q "${candidate#"$kept"}"
      COMPREPLY+=("$candidate")
    fi
  done < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${words[@]}" 2>/dev/null)
  [[ $files == 1 ]] || compopt +o default 2>/dev/null
}
complete -o default -F _aliquotctl aliquotctl kubectl-aliquot
)script";

constexpr std::string_view kZsh = R"script(#compdef aliquotctl kubectl-aliquot
# zsh completion of aliquotctl and kubectl-aliquot; load it with
#   source <(aliquotctl completion zsh)
# or write it to a file named _aliquotctl in a directory of fpath.
_aliquotctl() {
  local line name files=1
  local -a candidates
  for line in "${(@f)$(${~words[1]} __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :<-> ]]; then
      [[ $line == :0 ]] || files=0
    elif [[ -n $line ]]; then
      name=${line%%$'\t'*}
      name=${name//:/\\:}
      [[ $line == *$'\t'* ]] && name+=":${line#*$'\t'}"
      candidates+=("$name")
    fi
  done
  if (( ${#candidates} )); then
    _describe -t aliquotctl aliquotctl candidates
  elif (( files )); then
    _files
  fi
}
if [[ ${funcstack[1]} == _aliquotctl ]]; then
  _aliquotctl "$@"
else
  compdef _aliquotctl aliquotctl kubectl-aliquot
fi
)script";

constexpr std::string_view kFish =
    R"script(# fish completion of aliquotctl and kubectl-aliquot; load it with
#   aliquotctl completion fish | source
function __aliquotctl_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l files 1
    set -l found 0
    for line in ($words[1] __complete $words[2..-1] "$last" 2>/dev/null)
        if string match -qr '^:[0-9]+$' -- $line
            test $line = :0; or set files 0
        else
            set found 1
            printf '%s\n' $line
        end
    end
    if test $files = 1 -a $found = 0
        __fish_complete_path "$last"
    end
end
complete -c aliquotctl -f -a '(__aliquotctl_complete)'
complete -c kubectl-aliquot -f -a '(__aliquotctl_complete)'
)script";

}  // namespace

std::string_view CompletionScript(std::string_view shell) {
  if (shell == "bash") {
    return kBash;
  }
  if (shell == "zsh") {
    return kZsh;
  }
  return shell == "fish" ? kFish : std::string_view();
}

}  // namespace aliquot::cli
