// The scripts that shells load. Each asks `archiver __complete` for the words typed so far and shows the answer.

const BASH = `# bash completion for archiver; load it with: eval "$(archiver completion bash)"
_archiver() {
  local part="\${COMP_WORDS[COMP_CWORD]}" line="\${COMP_LINE:0:COMP_POINT}" paths=nothing index blanks
  local -a words=()
  # bash also breaks words at characters such as = and :, where no blank is typed.
  for (( index = 0; index <= COMP_CWORD; index++ )); do
    blanks="\${line%%[! $'\\t']*}"
    line="\${line#"$blanks"}"
    (( index == COMP_CWORD )) && part="$line"
    if [[ -n "$blanks" || index -eq 0 ]]; then words+=(""); fi
    if (( index < COMP_CWORD )); then words[\${#words[@]}-1]+="\${COMP_WORDS[index]}"; else words[\${#words[@]}-1]+="$part"; fi
    line="\${line#"\${COMP_WORDS[index]}"}"
  done
  # What stands at a break alone is not replaced.
  [[ "$part" == [=:] ]] && part=""
  COMPREPLY=()
  compopt +o default +o filenames 2>/dev/null
  while IFS= read -r line; do
    if [[ "$line" == :* ]]; then paths="\${line#:}"; else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <("\${COMP_WORDS[0]}" __complete bash "$part" -- "\${words[@]:1}" 2>/dev/null)
  # A folder, and a store, may go on.
  [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *[/:] ]] && compopt -o nospace 2>/dev/null
  local -a files=()
  case "$paths" in
    file) while IFS= read -r line; do files+=("$line"); done < <(compgen -f -- "$part") ;;
    folder) while IFS= read -r line; do files+=("$line"); done < <(compgen -d -- "$part") ;;
  esac
  # bash writes file names with quotes itself; the others have theirs.
  if (( \${#files[@]} )); then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=("\${files[@]}")
  fi
}
complete -F _archiver archiver
`;

const ZSH = `#compdef archiver
# zsh completion for archiver; load it with: eval "$(archiver completion zsh)"
_archiver() {
  local line text paths=nothing
  local -a found open
  while IFS= read -r line; do
    if [[ "$line" == :* ]]; then
      paths="\${line#:}"
    else
      # _describe separates the word from its text with a colon.
      text="\${\${\${line%%$'\\t'*}//\\\\/\\\\\\\\}//:/\\\\:}"
      [[ "$line" == *$'\\t'* ]] && text+=":\${\${line#*$'\\t'}//:/\\\\:}"
      # A folder, and a store, may go on.
      if [[ "\${line%%$'\\t'*}" == *[/:] ]]; then open+=("$text"); else found+=("$text"); fi
    fi
  done < <("\${words[1]}" __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  (( \${#found} )) && _describe 'archiver' found
  (( \${#open} )) && _describe 'archiver' open -S ''
  case "$paths" in
    file) _files ;;
    folder) _files -/ ;;
  esac
}
if [[ "\${zsh_eval_context[-1]}" == "loadautofunc" ]]; then
  _archiver "$@"
else
  compdef _archiver archiver
fi
`;

const FISH = `# fish completion for archiver; load it with: archiver completion fish | source
function __archiver_complete
    set -l words (commandline -opc)
    set -l current (string unescape -- (commandline -ct); or commandline -ct)
    for line in ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':file'
                __fish_complete_path (commandline -ct)
            case ':folder'
                __fish_complete_directories (commandline -ct)
            case ':*'
            case '*'
                printf '%s\\n' $line
        end
    end
end
complete -c archiver -f -a '(__archiver_complete)'
`;

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;

export type Shell = keyof typeof SCRIPTS;

/** Returns the script for this shell. */
export const completionScript = (shell: Shell): string => SCRIPTS[shell];
