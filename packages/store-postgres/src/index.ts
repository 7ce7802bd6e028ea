/** The stores of pets and keys in a PostgreSQL database. */
export * as PostgresInspection from "./PostgresInspection.ts"
export * as PostgresStores from "./PostgresStores.ts"
