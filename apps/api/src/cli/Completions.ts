/** Shell scripts that complete commands, options and their values. */
import * as Entry from "./Entry.ts"

export const shells = ["bash", "zsh", "fish"] as const

export const render = (root: Entry.Entry, shell: (typeof shells)[number]): string => {
  const places = Entry.placesOf(root).map(
    ({ command, entry }): Place => [command.slice(root.name.length).replaceAll(" ", "/"), entry]
  )
  if (shell === "fish") return fish(places)
  return shell === "zsh" ? `${zshPrelude}\n${bash(places)}` : bash(places)
}

/** A command with its path, such as `/keys/create`. */
type Place = readonly [way: string, entry: Entry.Entry]

const namesOf = (named: ReadonlyArray<Pick<Entry.Entry, "name">>): string =>
  named.map(({ name }) => name).join(" ")

/** A command with arguments offers its options only after a dash, since the word may be a file. */
const offer = ({ args, entries, flags }: Entry.Entry): string => {
  const words = `words="${namesOf([...entries, ...flags])}"`
  if (args.length === 0) return words
  const others = candidatesOf(args).map(
    (asked) => ` *) words="$("$program" ${asked} 2>/dev/null)" ;;`
  )
  return `case "$current" in -*) ${words} ;;${others.join("")} esac`
}

/** The words that print what arguments may be. */
const candidatesOf = (args: Entry.Entry["args"]): ReadonlyArray<string> =>
  args.flatMap(({ completedBy }) => completedBy ?? [])

const choicesOf = (value: string): string => (value.includes("|") ? value.replaceAll("|", " ") : "")

/** Options that take a value, with their choices, if any. */
const valuesOf = ([way, { flags }]: Place) =>
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
const bash = (places: ReadonlyArray<Place>): string => `_petstore() {
  [ -n "\${ZSH_VERSION-}" ] && setopt localoptions shwordsplit ksharrays
  local line="\${COMP_LINE:0:$COMP_POINT}" current previous="" way="" words="" word option="" program="\${1:-petstore}"
  current="\${line##* }"
  for word in \${line% *}; do
    case "$way/$word" in
      ${places.flatMap(([way]) => way || []).join("|")}) way="$way/$word" ;;
    esac
    previous="$word"
  done
  case "$current" in
    --*=*) previous="\${current%%=*}" option="\${current%%=*}=" current="\${current#*=}" ;;
  esac
  case "$way $previous" in
${places.flatMap(valuesOf).join("\n")}
    *) case "$way" in
${places.map(([way, entry]) => `      "${way}") ${offer(entry)} ;;`).join("\n")}
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
const fish = (places: ReadonlyArray<Place>): string =>
  places
    .flatMap(([way, entry]) => {
      const next = namesOf(entry.entries)
      const [, ...seen] = way.split("/")
      const conditions = seen.map((word) => `__fish_seen_subcommand_from ${word}`)
      if (next !== "") conditions.push(`not __fish_seen_subcommand_from ${next}`)
      const start = `complete -c petstore -n "${conditions.join("; and ")}"`
      return [
        ...candidatesOf(entry.args).map(
          (asked) => `${start} -f -a "(petstore ${asked} 2>/dev/null)"`
        ),
        ...entry.entries.map((one) => `${start} -f -a ${one.name} -d "${one.about}"`),
        ...entry.flags.map(({ about, name, value }) => {
          const choices = choicesOf(value ?? "")
          const argument = value === undefined ? "" : choices === "" ? " -r" : ` -x -a "${choices}"`
          return `${start} -l ${name.slice(2)}${argument} -d "${about}"`
        })
      ]
    })
    .join("\n")
