/** The stores of pets and keys in a PostgreSQL database. */
export * as NoPrimary from "./NoPrimary.ts"
export * as PostgresDurability from "./PostgresDurability.ts"
export * as PostgresIds from "./PostgresIds.ts"
export * as PostgresInspection from "./PostgresInspection.ts"
export * as PostgresStores from "./PostgresStores.ts"
