import type { ColumnDefinitionBuilder } from 'kysely'

/** The column that names the account which rows of a table belong to; null where the account is no row but a setting. */
export type OwnerReference = 'users.id' | 'administrators.username' | null

/** Lets a column refer to the account, so that its rows go when the account goes. */
export function ownedBy(column: ColumnDefinitionBuilder, owner: OwnerReference): ColumnDefinitionBuilder {
  return owner === null ? column : column.references(owner).onDelete('cascade')
}
