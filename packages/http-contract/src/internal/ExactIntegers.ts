/** The part of the introduction about 64-bit integers. */

const fence = "```"

/** How to keep ids exact, by language. */
export const exactIntegers = `## Exact integers

\`id\` and \`categoryId\` are 64-bit integers, written as JSON numbers: from -9223372036854775808 to 9223372036854775807.
Some JSON parsers read numbers as 64-bit floating point, which is exact up to 9007199254740991 only: 9007199254740993
becomes 9007199254740992, the id of another animal. Use a parser that keeps them exact.

**JavaScript, TypeScript**: the client \`@petstore/http-client\` has them as \`bigint\`. Without it, in Node 22 and newer
and in browsers since 2025:

${fence}js
const parse = (text) =>
  JSON.parse(text, (key, value, { source }) =>
    key === "id" || key === "categoryId" ? BigInt(source) : value
  )
const stringify = (value) =>
  JSON.stringify(value, (_, value) =>
    typeof value === "bigint" ? JSON.rawJSON(String(value)) : value
  )

const { id } = parse('{"id": 9007199254740993}') // 9007199254740993n
const body = stringify({ name: "Rex", categoryId: id })
${fence}

Elsewhere, use a library such as \`lossless-json\`.

**Python**: exact with \`json\`, and so with \`response.json()\` of requests and httpx.

${fence}python
import json

pet = json.loads('{"id": 9007199254740993}')  # {'id': 9007199254740993}
${fence}

**Java, Kotlin**: declare \`long\` (\`Long\`) fields; Jackson and Gson keep them exact. Do not read into a \`Map\` with
Gson, which makes numbers \`double\`. **Go**: declare \`int64\` fields; for \`map[string]any\`, call \`UseNumber\` of the
decoder first. **C#**: declare \`long\` properties; \`System.Text.Json\` keeps them exact. **Rust**: declare \`i64\` fields;
\`serde_json\` keeps them exact, in a \`serde_json::Value\` as well. **PHP**: exact with \`json_decode\` on 64-bit systems.
**Ruby**: exact with \`JSON.parse\`. **jq**: exact since version 1.7, as long as a number is not computed with.
`
