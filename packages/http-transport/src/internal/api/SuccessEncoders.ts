/** Encodes the successes that an endpoint declares. */
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as JsonEncoder from "../../JsonEncoder.ts"
import * as EntityTag from "../exchange/EntityTag.ts"
import * as Reply from "../exchange/Reply.ts"
import * as Memo from "./Memo.ts"

/** What {@link HttpApi.reflect} gives for the successes of an endpoint. */
type Successes = Parameters<Parameters<typeof HttpApi.reflect>[1]["onEndpoint"]>[0]["successes"]

type Encode = (body: unknown) => Reply.Body | undefined

/** The encoders by status. A `200` that is `isTagged` has a digest. */
export const make = (successes: Successes, isTagged: boolean): ReadonlyMap<number, Encode> =>
  new Map(
    Array.from(successes, ([status, { ast }]): [number, Encode] => {
      if (Option.isNone(ast) || HttpApiSchema.getEmptyDecodeable(ast.value))
        return [status, () => (status === 204 ? undefined : Reply.empty)]
      const encode = contentEncoder(ast.value)
      const bodyOf = (value: unknown): Reply.Body => {
        const body = encode(value)
        return isTagged && status === 200
          ? { ...body, digest: EntityTag.digest(body.content) }
          : body
      }
      return [status, Memo.byArray(bodyOf)]
    })
  )

/** Encodes a success as its contract says. */
const contentEncoder = (ast: AST.AST): ((value: unknown) => Reply.Body) => {
  const [{ contentType, kind }, ...others] = AST.isUnion(ast)
    ? Arr.map(ast.types, (type) => HttpApiSchema.getEncoding(type))
    : [HttpApiSchema.getEncoding(ast)]
  if (others.some((other) => other.contentType !== contentType))
    throw new Error("its successes with one status have several content types")
  switch (kind) {
    case "Json": {
      const encode = JsonEncoder.make(Schema.make<unknown>(ast))
      return (value) => Reply.body(contentType, encode(value))
    }
    case "Text": {
      const encode = Schema.encodeSync(Schema.make<unknown, string>(ast))
      // Browsers take a text without a charset for another one.
      const type = /charset=/i.test(contentType) ? contentType : `${contentType}; charset=utf-8`
      return (value) => Reply.body(type, encode(value))
    }
    case "Uint8Array": {
      const encode = Schema.encodeSync(Schema.make<unknown, Uint8Array>(ast))
      return (value) => Reply.body(contentType, encode(value))
    }
    case "UrlParams":
      throw new Error(`its success is ${contentType}, which cannot be written`)
  }
}
