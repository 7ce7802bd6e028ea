/** The client's types agree with the contract; the compiler checks it (`pnpm check`). */
import type { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as Domain from "@petstore/domain/Pet"
import * as DomainStatus from "@petstore/domain/PetStatus"
import {
  type CommonError,
  type ErrorCode,
  type ListQuery,
  type NewPet,
  type OtherStatus,
  type Page,
  type Pet,
  type PetStatus,
  petStatuses
} from "@petstore/http-client"
import { PetStoreApi, type Pets } from "@petstore/http-pets/PetStoreApi"
import * as PetStoreErrors from "@petstore/http-pets/PetStoreErrors"
import type { Brand, Schema } from "effect"
import * as Errors from "../src/Errors.ts"
import * as Operations from "../src/internal/Operations.ts"

/** Brands are for the service's own code. */
type Plain<A> = { readonly [K in keyof A]: Brand.Brand.Unbranded<A[K]> }

/** Pets of a newer service may have a status that the contract does not have. */
type Newer<A> = { readonly [K in keyof A]: K extends "status" ? A[K] | OtherStatus : A[K] }

/** Inputs may have fields that are undefined. */
type Given<A> = { readonly [K in keyof A]: Exclude<A[K], undefined> }

type Endpoint<Name extends string> = Extract<
  HttpApiGroup.HttpApiGroup.Endpoints<(typeof PetStoreApi.groups)[string]>,
  { readonly name: Name }
>
type Query = HttpApiEndpoint.HttpApiEndpoint.UrlParams<Endpoint<"listPets">>

describe("the client and the contract", () => {
  it("have the same pets", () => {
    expectTypeOf<Pet>().toEqualTypeOf<Newer<Plain<Domain.Pet>>>()
    expectTypeOf<Given<Required<NewPet>>>().toEqualTypeOf<
      Required<Schema.Schema.Encoded<typeof Domain.NewPet>>
    >()
    expectTypeOf<Schema.Schema.Encoded<typeof Domain.NewPet>>().toExtend<NewPet>()
    expectTypeOf<PetStatus>().toEqualTypeOf<DomainStatus.PetStatus>()
    expect(petStatuses).toEqual(DomainStatus.PetStatus.literals)
  })

  it("have the same pages", () => {
    expectTypeOf<Page["pets"]>().toEqualTypeOf<
      ReadonlyArray<Newer<Plain<(typeof Pets.Type)[number]>>>
    >()
    // What the service calls a cursor is opaque to callers, whom it tells where to continue.
    expectTypeOf<keyof ListQuery>().toEqualTypeOf<Exclude<keyof Query, "cursor"> | "after">()
    expectTypeOf<NonNullable<ListQuery["status"]>>().toEqualTypeOf<NonNullable<Query["status"]>>()
    expectTypeOf<NonNullable<ListQuery["limit"]>>().toEqualTypeOf<
      Brand.Brand.Unbranded<Query["limit"]>
    >()
    expectTypeOf<ListQuery["after"]>().toEqualTypeOf<Page["next"]>()
  })

  it("have the same errors of each operation", () => {
    // Those of all operations are declared for each of them in part.
    type Declared<Name extends string> = Exclude<
      HttpApiEndpoint.HttpApiEndpoint.Error<Endpoint<Name>>["code"],
      CommonError["code"]
    >
    type Own<Make extends (...given: never) => { readonly errors: ReadonlyArray<string> }> =
      ReturnType<Make>["errors"][number]
    expectTypeOf<Own<typeof Operations.listPets>>().toEqualTypeOf<Declared<"listPets">>()
    expectTypeOf<Own<typeof Operations.addPet>>().toEqualTypeOf<Declared<"createPet">>()
    expectTypeOf<Own<typeof Operations.getPet>>().toEqualTypeOf<Declared<"getPet">>()
  })

  it("have the same operations", () => {
    const { endpoints } = PetStoreApi.groups["pets"] ?? { endpoints: {} }
    const { addPet, getPet, listPets } = Operations
    const made = [listPets({}), addPet({ name: "a", categoryId: 1 }, {}), getPet(1)]
    expect(made.map(({ name }) => name)).toEqual(Object.keys(endpoints))
  })

  it("have the same errors", () => {
    expectTypeOf<ErrorCode>().toEqualTypeOf<PetStoreErrors.ErrorCode>()
    const exported: ReadonlyArray<unknown> = Object.values(Errors)
    const classes = exported.filter(
      (value): value is Errors.FailureClass<string> & { readonly name: string } =>
        typeof value === "function" && "code" in value
    )
    const codes = classes.map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining([...Object.keys(PetStoreErrors.errors.table)]))
    for (const Known of classes) {
      const error = new Known("message")
      expect([error._tag, error.code, error.name]).toEqual([Known.name, Known.code, Known.name])
      expect(classes.filter((Other) => error instanceof Other)).toEqual([Known])
    }
  })
})
