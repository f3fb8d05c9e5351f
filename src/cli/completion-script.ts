// The scripts that shells load. Each asks `archiver __complete` for the words typed so far and shows the answer.

const BASH = `# bash completion for archiver; load it with: eval "$(archiver completion bash)"
_archiver() {
  local current="\${COMP_WORDS[COMP_CWORD]}" line text paths=nothing
  # bash splits words at = and :, which stand alone then; nothing is typed after them yet.
  [[ "$current" == "=" || "$current" == ":" ]] && current=""
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ "$line" == :* ]]; then
      paths="\${line#:}"
    else
      text="\${line%%$'\\t'*}"
      # After a split the part before = is not ours to repeat.
      [[ "$text" == --*=* ]] && text="\${text#*=}"
      COMPREPLY+=("$(printf '%q' "$text")")
    fi
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  compopt +o default +o filenames 2>/dev/null
  case "$paths" in
    file) compopt -o filenames 2>/dev/null; while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current") ;;
    folder) compopt -o filenames 2>/dev/null; while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$current") ;;
  esac
}
complete -F _archiver archiver
`;

const ZSH = `#compdef archiver
# zsh completion for archiver; load it with: eval "$(archiver completion zsh)"
_archiver() {
  local line paths=nothing
  local -a found
  while IFS= read -r line; do
    if [[ "$line" == :* ]]; then
      paths="\${line#:}"
    else
      # _describe separates the word from its text with a colon.
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${\${line#*$'\\t'}//:/\\\\:}")
    fi
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe 'archiver' found
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
    set -l words (commandline -opc) (commandline -ct)
    set -l answer ($words[1] __complete -- $words[2..-1] 2>/dev/null)
    for line in $answer
        switch $line
            case ':file'
                __fish_complete_path (commandline -ct)
            case ':folder'
                __fish_complete_directories (commandline -ct)
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c archiver -f -a '(__archiver_complete)'
`;

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;

export type Shell = keyof typeof SCRIPTS;

/** Returns the script for this shell. */
export const completionScript = (shell: Shell): string => SCRIPTS[shell];
