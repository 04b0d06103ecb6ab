import type { Kysely } from 'kysely'

/** What platforms say of media beside the title, for the tags of files, and the template that names a job's file. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['track_title', 'artist', 'album', 'channel', 'published_on', 'chapters', 'name_template'])
    await db.schema.alterTable('jobs').addColumn(name, 'text').execute()
}
