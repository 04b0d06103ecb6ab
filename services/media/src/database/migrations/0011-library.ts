import { isPostgres } from '@hearth/database'
import { sql, type Kysely } from 'kysely'
import { fillSearchWords } from '../../library/store.ts'

/**
 * Tags, collections, and the index of the library: finished jobs that have a file, with the words, tags and figures they are
 * found by. Triggers keep it in step with the jobs.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('jobs').addColumn('tags', 'text').execute()
  for (const name of ['search_words', 'tag_words'])
    await db.schema
      .alterTable('jobs')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  await createCollections(db)
  await fillSearchWords(db)
  await createIndex(db)
  await sql.raw(unsearched).execute(db)
  for (const statement of isPostgres(db) ? postgresTriggers : sqliteTriggers) await sql.raw(statement).execute(db)
}

async function createCollections(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('collections')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('collection_jobs')
    .addColumn('collection_id', 'text', (column) => column.notNull().references('collections.id').onDelete('cascade'))
    .addColumn('job_id', 'text', (column) => column.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('collection_jobs_key', ['collection_id', 'job_id'])
    .execute()
  await db.schema.createIndex('collection_jobs_job').on('collection_jobs').column('job_id').execute()
}

async function createIndex(db: Kysely<unknown>): Promise<void> {
  const items = db.schema
    .createTable('library_items')
    .addColumn('number', isPostgres(db) ? 'bigint' : 'integer', (column) => column.primaryKey())
    .addColumn('job_id', 'text', (column) => column.notNull().unique())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('bpm', 'integer')
    .addColumn('musical_key', 'integer')
    .addColumn('duration_ms', 'bigint')
  await (isPostgres(db) ? items.addColumn('words', sql`tsvector`, (column) => column.notNull()) : items).execute()
  await db.schema
    .createTable('library_tags')
    .addColumn('tag', 'text', (column) => column.notNull())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('library_tags_key', ['tag', 'number'])
    .execute()
  await db.schema.createIndex('library_tags_number').on('library_tags').column('number').execute()
  // Each holds all that narrows a search: the rows themselves are read for a page alone.
  for (const figures of [
    ['title'],
    ['bpm', 'musical_key', 'duration_ms'],
    ['musical_key', 'bpm', 'duration_ms'],
    ['duration_ms', 'bpm', 'musical_key'],
  ])
    await db.schema
      .createIndex(`library_items_${figures[0]}`)
      .on('library_items')
      .columns([...figures, 'type', 'platform', 'number'])
      .execute()
}

/** Jobs that `fillSearchWords` looks at. */
const unsearched = "create index jobs_without_words on jobs (id) where search_words = ''"

const finished = (row: string) => `${row}.status in ('done', 'analysis_done') and ${row}.artifact is not null`

/** Columns of a job that the index shows or searches. */
const watched = [
  'status',
  'artifact',
  'video_title',
  'search_words',
  'tags',
  'tag_words',
  'bpm',
  'musical_key',
  'duration_ms',
]

/** Numbers of the index follow the time at which jobs were added: this many are free for each millisecond, until the year 2248. */
const perMillisecond = 1024
const [first, last] = [
  `new.created_at * ${perMillisecond}`,
  `new.created_at * ${perMillisecond} + ${perMillisecond - 1}`,
]
const nextNumber = `coalesce((select max(number) + 1 from library_items where number between ${first} and ${last}), ${first})`

const itemColumns = 'job_id, type, platform, title, bpm, musical_key, duration_ms'
const itemValues =
  "new.id, new.type, new.platform, lower(coalesce(new.video_title, '')), new.bpm, new.musical_key, new.duration_ms"
const itemUpdate =
  'title = excluded.title, bpm = excluded.bpm, musical_key = excluded.musical_key, duration_ms = excluded.duration_ms'
const allWords = "new.search_words || ' ' || new.tag_words"

const sqliteForget = (row: string) => `
  delete from library_words where rowid = (select number from library_items where job_id = ${row}.id);
  delete from library_tags where number = (select number from library_items where job_id = ${row}.id);`

const sqliteRemember = `
  insert into library_items (number, ${itemColumns}) select ${nextNumber}, ${itemValues} where ${finished('new')}
    on conflict (job_id) do update set ${itemUpdate};
  insert into library_words (rowid, words) select number, ${allWords} from library_items where job_id = new.id;
  insert into library_tags (tag, number)
    select value, number from json_each(coalesce(new.tags, '[]')), library_items where job_id = new.id;`

const fill = `update jobs set status = status where ${finished('jobs')}`

const sqliteTriggers = [
  `create virtual table library_words
    using fts5(words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '1 2 3 4 5 6 7 8')`,
  `create trigger library_job_added after insert on jobs when ${finished('new')} begin ${sqliteRemember} end`,
  `create trigger library_job_changed after update of ${watched.join(', ')} on jobs
    when ${finished('new')} or exists (select 1 from library_items where job_id = old.id) begin
    ${sqliteForget('old')}
    delete from library_items where job_id = old.id and not (${finished('new')});
    ${sqliteRemember} end`,
  `create trigger library_job_removed after delete on jobs begin
    ${sqliteForget('old')}
    delete from library_items where job_id = old.id; end`,
  fill,
]

const postgresTriggers = [
  ...['bpm', 'musical_key', 'duration_ms'].map(
    (column) => `create index library_items_${column}_desc on library_items (${column} desc nulls last, number desc)`,
  ),
  'create index library_items_words on library_items using gin (words)',
  `create function library_follow() returns trigger language plpgsql as $$
  declare item bigint;
  begin
    if tg_op <> 'INSERT' then
      delete from library_tags where number = (select number from library_items where job_id = old.id);
    end if;
    if tg_op = 'DELETE' or not (${finished('new')}) then
      delete from library_items where job_id = old.id;
      return null;
    end if;
    item := ${nextNumber};
    -- Another worker may have taken the number a moment ago.
    loop begin
      insert into library_items (number, ${itemColumns}, words)
        values (item, ${itemValues}, array_to_tsvector(array_remove(string_to_array(${allWords}, ' '), '')))
        on conflict (job_id) do update set ${itemUpdate}, words = excluded.words
        returning number into item;
      exit;
    exception when unique_violation then item := item + 1;
    end; end loop;
    insert into library_tags (tag, number) select value, item from jsonb_array_elements_text(coalesce(new.tags, '[]')::jsonb);
    return null;
  end $$`,
  `create trigger library_job_added after insert on jobs for each row when (${finished('new')}) execute function library_follow()`,
  `create trigger library_job_changed after update of ${watched.join(', ')} on jobs for each row
    when ((${finished('new')}) or (${finished('old')})) execute function library_follow()`,
  'create trigger library_job_removed after delete on jobs for each row execute function library_follow()',
  fill,
]
