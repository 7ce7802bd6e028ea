/** Where the JSON of a schema has exact integers: what is declared as a `bigint`. */
import * as AST from "effect/SchemaAST"

/** What a schema allows at one place of a JSON text. */
export interface Place {
  readonly hasBigInt: boolean
  readonly hasNumber: boolean
  /** What it allows in a field. */
  readonly fieldOf: (name: string) => Place
  /** What it allows as an item of an array. */
  readonly itemOf: (nth: number) => Place
}

const places = new WeakMap<AST.AST, Place>()

/** What a schema is decoded from. */
export const placeOf = (ast: AST.AST): Place => {
  const known = places.get(ast)
  if (known !== undefined) return known
  const place = make(alternativesOf(ast))
  places.set(ast, place)
  return place
}

/** What a schema is decoded from, without unions, refinements and transformations. */
const alternativesOf = (ast: AST.AST): ReadonlyArray<AST.AST> => {
  switch (ast._tag) {
    case "Union":
      return ast.types.flatMap(alternativesOf)
    case "Refinement":
    case "Transformation":
      return alternativesOf(ast.from)
    case "Suspend":
      return alternativesOf(ast.f())
    default:
      return [ast]
  }
}

const make = (alternatives: ReadonlyArray<AST.AST>): Place => {
  const structs = alternatives.filter(AST.isTypeLiteral)
  const tuples = alternatives.filter(AST.isTupleType)
  const names = new Set(structs.flatMap((struct) => struct.propertySignatures.map(nameOf)))
  const length = Math.max(0, ...tuples.map(({ elements }) => elements.length))
  const field = remembered((name: PropertyKey | undefined) =>
    anyOf(
      structs.flatMap(({ indexSignatures, propertySignatures }): ReadonlyArray<Part> => {
        const declared = propertySignatures.filter((signature) => signature.name === name)
        return declared.length === 0 ? indexSignatures : declared
      })
    )
  )
  const item = remembered((nth: number) =>
    anyOf(tuples.flatMap(({ elements, rest }): Part | ReadonlyArray<Part> => elements[nth] ?? rest))
  )
  return {
    hasBigInt: alternatives.some(AST.isBigIntKeyword),
    hasNumber: alternatives.some(AST.isNumberKeyword),
    // All that is not declared is one, so that texts do not fill the memory.
    fieldOf: (name) => field(names.has(name) ? name : undefined),
    itemOf: (nth) => item(Math.min(nth, length))
  }
}

const nameOf = ({ name }: AST.PropertySignature): PropertyKey => name

const remembered = <Key>(make: (key: Key) => Place): ((key: Key) => Place) => {
  const known = new Map<Key, Place>()
  return (key) => {
    const place = known.get(key) ?? make(key)
    known.set(key, place)
    return place
  }
}

/** A field or an item. */
interface Part {
  readonly type: AST.AST
}

/** What any of these allow. */
const anyOf = (parts: ReadonlyArray<Part>): Place => {
  const [first, ...others] = parts
  if (first === undefined) return nothing
  return others.length === 0
    ? placeOf(first.type)
    : make(parts.flatMap(({ type }) => alternativesOf(type)))
}

const nothing: Place = {
  hasBigInt: false,
  hasNumber: false,
  fieldOf: () => nothing,
  itemOf: () => nothing
}

/** All places of what a schema is decoded from. */
export const placesOf = (ast: AST.AST): ReadonlyArray<Place> => {
  const known = new Set<AST.AST>()
  const visit = (ast: AST.AST): void => {
    if (known.has(ast)) return
    known.add(ast)
    for (const one of alternativesOf(ast)) {
      if (AST.isTypeLiteral(one))
        for (const { type } of [...one.propertySignatures, ...one.indexSignatures]) visit(type)
      if (AST.isTupleType(one)) for (const { type } of [...one.elements, ...one.rest]) visit(type)
    }
  }
  visit(ast)
  return Array.from(known, placeOf)
}
