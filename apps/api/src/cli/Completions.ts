/** Shell scripts that complete commands, options and their values. */
import * as Command from "./Command.ts"

export const shells = ["bash", "zsh", "fish"] as const

export const render = (root: Command.Command, shell: (typeof shells)[number]): string => {
  const all = Command.pathsOf(root).map(
    ({ command, path }): Node => [path.slice(root.name.length).replaceAll(" ", "/"), command]
  )
  if (shell === "fish") return fish(all)
  return shell === "zsh" ? `${zshPrelude}\n${bash(all)}` : bash(all)
}

/** A command with its path, such as `/keys/create`. */
type Node = readonly [way: string, command: Command.Command]

const namesOf = (named: ReadonlyArray<Pick<Command.Command, "name">>): string =>
  named.map(({ name }) => name).join(" ")

/** A command with arguments offers its options only after a dash, since the word may be a file. */
const offer = ({ args, commands, flags }: Command.Command): string => {
  const words = `words="${namesOf([...commands, ...flags])}"`
  return args.length === 0 ? words : `case "$current" in -*) ${words} ;; esac`
}

const choicesOf = (value: string): string => (value.includes("|") ? value.replaceAll("|", " ") : "")

/** Options that take a value, with their choices, if any. */
const valuesOf = ([way, { flags }]: Node) =>
  flags.flatMap(({ name, value }) =>
    value === undefined ? [] : [`    "${way} ${name}") words="${choicesOf(value)}" ;;`]
  )

/** Makes zsh run the script for bash. */
const zshPrelude = `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
autoload -Uz bashcompinit && bashcompinit`

/**
 * Splits the line itself, since bash splits `pets:read` at the colon, and `--status=sold` at the equals sign; zsh
 * splits neither.
 */
const bash = (all: ReadonlyArray<Node>): string => `_petstore() {
  [ -n "\${ZSH_VERSION-}" ] && setopt localoptions shwordsplit ksharrays
  local line="\${COMP_LINE:0:$COMP_POINT}" current previous="" way="" words="" word option=""
  current="\${line##* }"
  for word in \${line% *}; do
    case "$way/$word" in
      ${all.flatMap(([way]) => way || []).join("|")}) way="$way/$word" ;;
    esac
    previous="$word"
  done
  case "$current" in
    --*=*) previous="\${current%%=*}" option="\${current%%=*}=" current="\${current#*=}" ;;
  esac
  case "$way $previous" in
${all.flatMap(valuesOf).join("\n")}
    *) case "$way" in
${all.map(([way, command]) => `      "${way}") ${offer(command)} ;;`).join("\n")}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ -n "\${ZSH_VERSION-}" ] && COMPREPLY=("\${COMPREPLY[@]/#/$option}")
  case "$current" in
    *:*) [ -z "\${ZSH_VERSION-}" ] && COMPREPLY=("\${COMPREPLY[@]#"\${current%:*}:"}") ;;
  esac
}
complete -o default -F _petstore petstore`

/** One line per word, with the commands that must precede it. */
const fish = (all: ReadonlyArray<Node>): string =>
  all
    .flatMap(([way, command]) => {
      const next = namesOf(command.commands)
      const [, ...seen] = way.split("/")
      const conditions = seen.map((word) => `__fish_seen_subcommand_from ${word}`)
      if (next !== "") conditions.push(`not __fish_seen_subcommand_from ${next}`)
      const start = `complete -c petstore -n "${conditions.join("; and ")}"`
      return [
        ...command.commands.map((one) => `${start} -f -a ${one.name} -d "${one.about}"`),
        ...command.flags.map(({ about, name, value }) => {
          const choices = choicesOf(value ?? "")
          const argument = value === undefined ? "" : choices === "" ? " -r" : ` -x -a "${choices}"`
          return `${start} -l ${name.slice(2)}${argument} -d "${about}"`
        })
      ]
    })
    .join("\n")
