/** The stores of pets and keys in a PostgreSQL database. */
export * as PostgresStores from "./PostgresStores.ts"
