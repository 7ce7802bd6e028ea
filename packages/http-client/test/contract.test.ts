/** The client's types agree with the contract; the compiler checks it (`pnpm check`). */
import type { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as Domain from "@petstore/domain/Pet"
import * as DomainStatus from "@petstore/domain/PetStatus"
import type { PetStoreApi, Pets } from "@petstore/http-adapter/PetStoreApi"
import type * as PetStoreErrors from "@petstore/http-adapter/PetStoreErrors"
import {
  type ErrorCode,
  errorClasses,
  type ListQuery,
  type NewPet,
  type OtherStatus,
  type Page,
  type Pet,
  type PetStatus,
  petStatuses
} from "@petstore/http-client"
import type { OperationName, OwnError } from "@petstore/http-client/effect"
import type { Brand, Schema } from "effect"

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
    type Common = "unauthorized" | "unavailable"
    type Declared<Name extends OperationName> = Exclude<
      HttpApiEndpoint.HttpApiEndpoint.Error<Endpoint<Name>>["code"],
      Common
    >
    expectTypeOf<{ [Name in OperationName]: OwnError<Name>["code"] }>().toEqualTypeOf<{
      [Name in OperationName]: Declared<Name>
    }>()
    expectTypeOf<OperationName>().toEqualTypeOf<
      HttpApiGroup.HttpApiGroup.Endpoints<(typeof PetStoreApi.groups)[string]>["name"]
    >()
  })

  it("have the same errors", () => {
    expectTypeOf<ErrorCode>().toEqualTypeOf<PetStoreErrors.ErrorCode>()
    const codes = errorClasses.map(({ code }) => code)
    expect(new Set(codes).size).toBe(codes.length)
    for (const Known of errorClasses) {
      const { _tag, code, name } = new Known("message")
      expect([_tag, code, name]).toEqual([Known.name, Known.code, Known.name])
    }
  })
})
