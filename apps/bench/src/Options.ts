/** What the command line asks for. */
import { parseArgs } from "node:util"
import { peerNames } from "./Servers.ts"
import { works } from "./Works.ts"

export interface Options {
  readonly works: ReadonlyArray<string>
  readonly peers: ReadonlyArray<string>
  /** Whether nothing was left out, so that the figures may stand in a README. */
  readonly whole: boolean
  readonly strict: boolean
  readonly program: string | undefined
  readonly rounds: number
  readonly growthRounds: number
  readonly starts: number
  readonly animals: number
  readonly manyAnimals: number
}

const workNames = works.map((work) => work.id)
const otherParts = ["growth", "transfer", "observability", "postgres"]

export const help = `Runs the service and its peers on the same work, in turns, and compares them.

  --only <works>   of ${[...workNames, ...otherParts].join(", ")}
  --peers <peers>  of ${peerNames.join(", ")}
  --quick          fewer rounds and fewer animals: a first look, not a figure to quote
  --strict         fail when a goal is missed
  --ours <file>    another build of the service than the one beside this app
  --help

The results of a whole run go to results/bench.json and results/bench.svg, of any other to
results/partial.json and results/partial.svg. A part that fails does not lose the others.
`

/** `undefined` when help was asked for. */
export const parse = (args: ReadonlyArray<string>): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      peers: { type: "string" },
      quick: { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
      ours: { type: "string" },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return undefined
  const { quick } = values
  return {
    works: choose("--only", values.only, [...workNames, ...otherParts]),
    peers: choose("--peers", values.peers, peerNames),
    whole: !quick && [values.only, values.peers, values.ours].every((it) => it === undefined),
    strict: values.strict,
    program: values.ours,
    rounds: quick ? 2 : 7,
    growthRounds: quick ? 1 : 3,
    starts: quick ? 1 : 7,
    animals: 10_000,
    manyAnimals: quick ? 100_000 : 1_000_000
  }
}

const choose = (option: string, given: string | undefined, known: ReadonlyArray<string>) => {
  const chosen = given?.split(",").filter((name) => name !== "") ?? known
  const unknown = chosen.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new Error(`${option} does not know ${unknown}, only ${known.join(", ")}`)
  }
  return chosen
}
