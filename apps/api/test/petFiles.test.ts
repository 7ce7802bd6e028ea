/** The formats of files of pets, as `import` reads and `export` writes them. */
import { describe, expect, it } from "@effect/vitest"
import { CategoryId, type Pet, PetId, PetName } from "@petstore/domain/Pet"
import { PetStatus } from "@petstore/domain/PetStatus"
import { FastCheck } from "effect"
import type { BadLine, Format } from "../src/petFiles/Format.ts"
import { formats } from "../src/petFiles/Formats.ts"
import * as Lines from "../src/petFiles/Lines.ts"

/** Splits bytes at these positions. */
const cut = (bytes: Uint8Array, places: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))]
  const sorted = [0, ...ends.sort((a, b) => a - b), bytes.length]
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}
const cuts = FastCheck.array(FastCheck.nat(100_000), { maxLength: 20 })

const linesOf = (pieces: ReadonlyArray<Uint8Array>): ReadonlyArray<Lines.Line> => {
  const lines = Lines.make()
  return [...pieces.flatMap((piece) => [...lines.push(piece)]), ...lines.end()]
}

/** The records of these lines, up to a fatal one: the rest of a file is not read. */
const readLines = (format: Format, lines: ReadonlyArray<Lines.Line>) => {
  const reader = format.read()
  const found = []
  for (const line of [...lines, undefined]) {
    const record = line === undefined ? reader.end() : reader.push(line)
    if (record !== undefined) found.push(record)
    if (record !== undefined && "isFatal" in record) break
  }
  return found
}

/** All records that a format reads from these chunks. */
const read = (format: Format, pieces: ReadonlyArray<Uint8Array>) =>
  readLines(format, linesOf(pieces))
const readText = (format: Format, text: string) => read(format, [Buffer.from(text)])

/** Any character: the unit "binary" is the same, but takes a second to prepare. */
const character = FastCheck.integer({ min: 0, max: 0x10f7ff }).map((code) =>
  String.fromCodePoint(code < 0xd800 ? code : code + 0x800)
)

const int64 = FastCheck.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const name = FastCheck.oneof(
  FastCheck.string({ minLength: 1, unit: character }),
  FastCheck.string({
    minLength: 1,
    unit: FastCheck.constantFrom('"', ",", "\r", "\n", " ", "\ufeff", "a")
  })
).filter((text) => !text.includes("\0"))
const pet: FastCheck.Arbitrary<Pet> = FastCheck.record(
  {
    id: FastCheck.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map((id) => PetId.make(id)),
    name: name.map((text) => PetName.make(text)),
    categoryId: int64.map((id) => CategoryId.make(id)),
    status: FastCheck.constantFrom(...PetStatus.literals)
  },
  { requiredKeys: ["id", "name", "categoryId"] }
)

describe.each(Object.entries(formats))("the format %s", (_, format) => {
  it("reads what it has written, however the bytes are split", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(pet),
        cuts,
        FastCheck.boolean(),
        (pets, places, isMarked) => {
          const text = format.header + pets.map(format.write).join("")
          const bytes = Buffer.from(isMarked ? `\ufeff${text}` : text)
          const found = read(format, cut(bytes, places))
          expect(found.map((one) => ("pet" in one ? one.pet : one))).toEqual(pets)
        }
      ),
      { numRuns: 100 }
    )
  })

  it("returns a pet or a reason for every line of any input, and never throws", () => {
    const noise = FastCheck.oneof(
      FastCheck.string({ unit: FastCheck.constantFrom(...'",\r\n{}[]:x1-e.\\') }),
      FastCheck.string({ unit: character })
    )
    FastCheck.assert(
      FastCheck.property(noise, FastCheck.uint8Array(), cuts, (text, bytes, places) => {
        const all = Buffer.concat([Buffer.from(format.header + text), bytes])
        for (const one of read(format, cut(all, places))) {
          expect(one.place).toBeGreaterThan(0)
          if ("reason" in one) expect(one.reason).toMatch(/^[\x20-\x7e]+$/)
        }
      }),
      { numRuns: 1000 }
    )
  })
})

describe("lines", () => {
  it("are split at newlines and numbered from 1, however the bytes are split", () => {
    const text = FastCheck.array(
      FastCheck.string({ unit: character }).filter((one) => !one.includes("\n"))
    )
    FastCheck.assert(
      FastCheck.property(text, FastCheck.boolean(), cuts, (texts, isEnded, places) => {
        const all = texts.join("\n") + (isEnded && texts.length > 0 ? "\n" : "")
        const [first = "", ...others] = all.split("\n")
        const expected = [first.replace(/^\ufeff/, ""), ...others].map((text, at) => ({
          number: at + 1,
          text
        }))
        // What follows the last newline is a line only if it is not empty.
        if (all === "" || all.endsWith("\n")) expected.pop()
        expect(linesOf(cut(Buffer.from(all), places))).toEqual(expected)
      }),
      { numRuns: 500 }
    )
  })

  it("that are not UTF-8 are reported, and the others read", () => {
    const bytes = Buffer.concat([
      Buffer.from("one\n"),
      Buffer.from([0xff, 0x0a]),
      Buffer.from("three\n"),
      // Half a character, and a byte order mark, which only the first line may have.
      Buffer.from([0xc3, 0x0a]),
      Buffer.from("\ufefffive\n"),
      Buffer.from([0xe2, 0x82])
    ])
    for (let place = 0; place <= bytes.length; place++) {
      expect(linesOf(cut(bytes, [place]))).toEqual([
        { number: 1, text: "one" },
        { number: 2, text: "\ufffd", reason: "is not UTF-8" },
        { number: 3, text: "three" },
        { number: 4, text: "\ufffd", reason: "is not UTF-8" },
        { number: 5, text: "\ufefffive" },
        { number: 6, text: "\ufffd", reason: "is not UTF-8" }
      ])
    }
  })

  it("have at most 1 MiB, or are rejected and not kept", () => {
    const bytes = Buffer.alloc(Lines.maxBytes + 1, "x")
    const [text, tooLong] = [bytes.toString().slice(1), "is longer than 1 MiB"]
    const more = Buffer.from("\ntwo")
    const two = { number: 2, text: "two" }
    expect(linesOf([bytes.subarray(1)])).toEqual([{ number: 1, text }])
    expect(linesOf([bytes.subarray(1), more])).toEqual([{ number: 1, text }, two])
    expect(linesOf([bytes])).toEqual([{ number: 1, reason: tooLong }])
    expect(linesOf([bytes, bytes, more])).toEqual([{ number: 1, reason: tooLong }, two])
  })
})

describe("comma-separated values", () => {
  const reasons = (text: string): ReadonlyArray<BadLine> =>
    readText(formats.csv, text).filter((one): one is BadLine => "reason" in one)

  it("accept columns in any order, and no unknown ones", () => {
    expect(readText(formats.csv, 'categoryId,"name"\n7,Rex\n')).toEqual([
      { place: 2, pet: { name: "Rex", categoryId: 7n } }
    ])
    const many = Array.from({ length: 30 }, (_, at) => `c${at}\u001b`).join(",")
    for (const [header, problem] of [
      [`name,categoryId,${many}`, /; unknown: "c0\\u001b", .*"c9\\u001b" and 20 more$/],
      ["Name,categoryId,status", /; missing: name; unknown: "Name"$/]
    ] as const) {
      expect(reasons(`${header}\n`)).toMatchObject([{ reason: expect.stringMatching(problem) }])
    }
  })

  it("may be separated by semicolons or tabs", () => {
    for (const mark of [";", "\t"]) {
      const text = `name,categoryId,status\r\n"a,b",1,sold\r\n"c""",2,\r\n"d,\ne",3,\r\n`
      const parted = text.replaceAll(",", mark).replaceAll(`a${mark}b`, "a,b")
      expect(readText(formats.csv, parted)).toEqual([
        { place: 2, pet: { name: "a,b", categoryId: 1n, status: "sold" } },
        { place: 3, pet: { name: 'c"', categoryId: 2n } },
        { place: 4, pet: { name: `d${mark}\ne`, categoryId: 3n } }
      ])
    }
  })

  it("are quoted wherever a reader could split them", () => {
    // The fields that are left out are empty, however many there are.
    const written = (name: string) =>
      formats.csv
        .write({ id: PetId.make(1n), name: PetName.make(name), categoryId: CategoryId.make(2n) })
        .replace(/,+\n$/, ",\n")
    expect(written("plain name")).toBe("1,plain name,2,\n")
    for (const mark of [",", "\r", "\n"]) expect(written(`a${mark}b`)).toBe(`1,"a${mark}b",2,\n`)
    expect(written('a"b')).toBe('1,"a""b",2,\n')
  })

  it("may have empty lines, and spaces around what is not quoted", () => {
    const text = "categoryId,name\r\n\r\n1, Rex \r\n\n2,Tom\r\n"
    expect(readText(formats.csv, text)).toEqual([
      { place: 3, pet: { name: " Rex ", categoryId: 1n } },
      { place: 5, pet: { name: "Tom", categoryId: 2n } }
    ])
    for (const empty of ["", "\r\n\n"]) {
      expect(readText(formats.csv, empty)).toMatchObject([
        { place: 1, reason: expect.stringMatching(/^must be a header/), isFatal: true }
      ])
    }
  })

  it("report the line where a record starts", () => {
    expect(reasons('name,categoryId\n"a\n\nb",x\nc,y\n')).toEqual([
      { place: 2, reason: "categoryId must be an integer" },
      { place: 5, reason: "categoryId must be an integer" }
    ])
  })

  it("do not use another line as the header if it cannot be read", () => {
    const bytes = Buffer.concat([Buffer.from([0xff]), Buffer.from(",\nname,categoryId\nRex,1\n")])
    expect(read(formats.csv, [bytes])).toEqual([
      { place: 1, reason: "is not UTF-8", isFatal: true }
    ])
  })

  it("reject a record with a quoted line that is not UTF-8, and read on after it", () => {
    const text = 'name,categoryId\n"a#\nRex,1\nTom,2\n#b",3\nIda,4\n"\n#",5\nMia,7\n'
    const bytes = Buffer.from(text).map((byte) => (byte === 0x23 ? 0xff : byte))
    expect(read(formats.csv, [bytes])).toEqual([
      { place: 2, reason: "is not UTF-8" },
      { place: 6, pet: { name: "Ida", categoryId: 4n } },
      { place: 7, reason: "is not UTF-8" },
      { place: 9, pet: { name: "Mia", categoryId: 7n } }
    ])
  })

  it("stop at a line whose text was not kept, since it may open or close a quote", () => {
    const lines = [
      { number: 1, text: "name,categoryId" },
      { number: 2, text: "Rex,1" },
      { number: 3, text: '"Tom' },
      { number: 4, reason: "is too long" },
      { number: 5, text: "Ida,2" }
    ]
    expect(readLines(formats.csv, lines)).toEqual([
      { place: 2, pet: { name: "Rex", categoryId: 1n } },
      { place: 4, reason: "is too long", isFatal: true }
    ])
  })

  it.each(["x,", '"",', '"x""",'])(
    "may not have more than a thousand fields, such as %s",
    (field) => {
      expect(reasons(`name,categoryId\n${field.repeat(1001).slice(0, -1)}\nRex\n`)).toEqual([
        { place: 2, reason: "has more than 1000 fields" },
        { place: 3, reason: "has 1 fields, but the header has 2" }
      ])
    }
  )

  it("stop at a quote that is never closed, without keeping what follows", () => {
    const text = "x".repeat(100_000)
    const more = Array.from({ length: 20 }, (_, at) => ({ number: at + 3, text }))
    const start = [
      { number: 1, text: "name,categoryId" },
      { number: 2, text: '"open' }
    ]
    expect(readLines(formats.csv, [...start, ...more])).toEqual([
      { place: 2, reason: "has a quote that is not closed within 1 MiB", isFatal: true }
    ])
  })
})

it("NDJSON is read on after a line that is not JSON, or nested too deeply to be exact", () => {
  const nested = `{"x":${"[".repeat(60_000)}1234567890123456789${"]".repeat(60_000)}}\n`
  const pet = '{"name":"a","categoryId":1}\n'
  expect(readText(formats.ndjson, `${pet}{\n${pet}${nested}${pet}{}\n`)).toEqual([
    { place: 1, pet: { name: "a", categoryId: 1n } },
    { place: 2, reason: "is not JSON: it ends too early" },
    { place: 3, pet: { name: "a", categoryId: 1n } },
    { place: 4, reason: "is not JSON: it is nested too deeply" },
    { place: 5, pet: { name: "a", categoryId: 1n } },
    { place: 6, reason: "name is required; categoryId is required" }
  ])
})
