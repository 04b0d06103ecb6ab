import type { ConditionRow, Db } from '../tables.ts'

/** Records that a condition began; false when it had begun before. */
export async function insertCondition(db: Db, row: ConditionRow): Promise<boolean> {
  const result = await db
    .insertInto('notification_conditions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['class', 'subject']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Deletes a condition and returns it; undefined when it had not begun. */
export function takeCondition(
  db: Db,
  { class: name, subject }: Pick<ConditionRow, 'class' | 'subject'>,
): Promise<ConditionRow | undefined> {
  return db
    .deleteFrom('notification_conditions')
    .where('class', '=', name)
    .where('subject', '=', subject)
    .returningAll()
    .executeTakeFirst()
}

/** Returns the subjects of the conditions of a class that have begun. */
export async function listSubjects(db: Db, name: string): Promise<string[]> {
  const rows = await db.selectFrom('notification_conditions').select('subject').where('class', '=', name).execute()
  return rows.map(({ subject }) => subject)
}
