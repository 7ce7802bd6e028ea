/** The changes that lead to the schema of this version. */

/** A change of the schema. */
export interface Migration {
  readonly name: string
  /** Whether versions of the program that do not know this migration work with it. */
  readonly isCompatible: boolean
  readonly statements: ReadonlyArray<string>
}

/** In order. A released migration is never edited, only followed by another. */
export const migrations: ReadonlyArray<Migration> = [
  {
    name: "pets",
    isCompatible: false,
    statements: [
      `CREATE TABLE pets (
        id BIGINT PRIMARY KEY,
        name TEXT NOT NULL CHECK (name <> ''),
        category_id BIGINT NOT NULL,
        status TEXT CHECK (status IN ('available', 'pending', 'sold'))
      )`,
      "CREATE INDEX pets_by_status ON pets (status, id)",
      // One row: the greatest id that was ever assigned. Who assigns ids holds its lock until the commit, so
      // pets become visible in the order of their ids. A sequence would not do that.
      `CREATE TABLE pet_ids (
        one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
        last BIGINT NOT NULL
      )`,
      "INSERT INTO pet_ids (last) VALUES (0)"
    ]
  },
  {
    name: "imports",
    isCompatible: false,
    statements: [
      `CREATE TABLE pet_imports (
        id UUID PRIMARY KEY,
        started TIMESTAMPTZ NOT NULL DEFAULT now()
      )`,
      `CREATE TABLE imported_pets (
        import UUID NOT NULL REFERENCES pet_imports (id) ON DELETE CASCADE,
        nth BIGINT NOT NULL,
        place BIGINT NOT NULL,
        pet_id BIGINT,
        name TEXT NOT NULL,
        category_id BIGINT NOT NULL,
        status TEXT,
        PRIMARY KEY (import, nth)
      )`
    ]
  },
  {
    name: "api_keys",
    isCompatible: false,
    statements: [
      `CREATE TABLE api_keys (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        digest TEXT NOT NULL UNIQUE,
        scopes TEXT NOT NULL,
        created BIGINT NOT NULL,
        expires BIGINT,
        retires BIGINT,
        revoked BIGINT,
        last_used BIGINT,
        changed BIGINT NOT NULL
      )`,
      "CREATE INDEX api_keys_by_change ON api_keys (changed)",
      // One row: the number of changes, which each changed key has too, and the number at which keys were
      // removed last. There are no triggers, so a change by hand has to set both.
      `CREATE TABLE api_key_changes (
        one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
        count BIGINT NOT NULL,
        removed BIGINT NOT NULL
      )`,
      "INSERT INTO api_key_changes (count, removed) VALUES (0, 0)"
    ]
  },
  {
    // Which pet an idempotency key was used for, and when.
    name: "idempotency_keys",
    isCompatible: true,
    statements: [
      `CREATE TABLE idempotency_keys (
        key TEXT CONSTRAINT idempotency_keys_are_unique PRIMARY KEY,
        pet_id BIGINT NOT NULL,
        at BIGINT NOT NULL
      )`,
      "CREATE INDEX idempotency_keys_by_time ON idempotency_keys (at)"
    ]
  },
  {
    // A random id for each of the last changes, by its number. A database that was set back, such as by restoring a dump,
    // reaches the same number again, but not with the same id. Earlier versions of the program write none.
    name: "key_versions",
    isCompatible: true,
    statements: ["ALTER TABLE api_key_changes ADD COLUMN versions JSONB NOT NULL DEFAULT '{}'"]
  },
  {
    // When an import was committed, and the digest of its pets. The program that imports removes the row when it knows
    // that; if it does not get to know it, the next import of the same pets does.
    name: "import_outcomes",
    isCompatible: true,
    statements: ["ALTER TABLE pet_imports ADD COLUMN digest TEXT, ADD COLUMN committed TIMESTAMPTZ"]
  },
  {
    // An import is one transaction, and its outcome a row. Earlier versions of the program can do all but import.
    name: "imports_by_one_transaction",
    isCompatible: true,
    statements: [
      "DROP TABLE imported_pets, pet_imports",
      "CREATE TABLE import_outcomes (id UUID PRIMARY KEY, is_committed BOOLEAN NOT NULL, at TIMESTAMPTZ NOT NULL)",
      "CREATE INDEX import_outcomes_by_time ON import_outcomes (at)"
    ]
  }
]
