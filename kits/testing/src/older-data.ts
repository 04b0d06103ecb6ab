import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createPostgresDatabase, postgresObstacle } from './postgres.ts'
import { runCommand, startServiceProcess } from './service-process.ts'
import { temporaryDirectory } from './temporary-directory.ts'
import { createVisitor, type Visitor } from './visitor.ts'

const run = promisify(execFile)

/** A credential that was handed out by the older version, and whether it still works after a restore. */
export interface KeptCredential {
  readonly what: string
  readonly headers: Readonly<Record<string, string>>
  /** A path that answers 200 to it and not to strangers. */
  readonly path: string
  readonly isInBackup: boolean
}

/** Data of an older version: how to open it and what its API answered. Stands as `recorded.json` beside `data.tar.gz` and `backup`. */
export interface OlderData {
  readonly note: string
  /** Settings that the data needs, its key above all. */
  readonly environment: Readonly<Record<string, string>>
  readonly signIn: { readonly path: string; readonly json: { readonly username: string; readonly password: string } }
  readonly credentials: readonly KeptCredential[]
  /** Answers of GET by path, without the members that change by themselves. */
  readonly answers: Readonly<Record<string, unknown>>
  /** Answers that are others after a restore, because a backup does not hold everything; null where there is none. */
  readonly restored: Readonly<Record<string, unknown>>
  /** Facts for `also`. */
  readonly more?: unknown
}

/** Data that a generator puts into a service. */
export interface Filled extends Pick<OlderData, 'signIn' | 'credentials' | 'more'> {
  /** Paths whose answers are recorded. */
  readonly paths: readonly string[]
}

/** Steps that fill a service. */
export interface OlderDataRecipe {
  readonly service: string
  readonly environment: Readonly<Record<string, string>>
  /** Settings of the filling alone, such as the address of a server that the generator runs. */
  readonly fillingEnvironment?: Readonly<Record<string, string>>
  /** Names of members that change by themselves, left out wherever they stand. */
  readonly changing: readonly string[]
  readonly signIn?: SignIn
  fill(visitor: Visitor, dataDirectory: string): Promise<Filled>
  /** Moves dates that would expire far ahead, in the stopped service's files. */
  readonly beforePacking?: (dataDirectory: string) => Promise<void>
  /** Ends the service as a crash does, so that what it was doing stays in the data. */
  readonly isKilled?: boolean
}

/** Writes `data.tar.gz`, `backup` and `recorded.json` into a folder, with the code as it is now. */
export async function makeOlderData(folder: string, recipe: OlderDataRecipe): Promise<void> {
  const { service, environment } = recipe
  await using place = await temporaryDirectory('older-data')
  const [data, restoredData] = [join(place.path, 'data'), join(place.path, 'restored')]
  const settings = { ...environment, DATA_DIR: data }
  const { paths, ...filled } = await fillService(recipe, { ...settings, ...recipe.fillingEnvironment })
  await recipe.beforePacking?.(data)
  await run('tar', ['--owner=0', '--group=0', '--exclude=*.sock', '-czf', join(folder, 'data.tar.gz'), '-C', data, '.'])
  const backup = await runCommand([service, 'backup', join(folder, 'backup')], settings)
  assert.equal(backup.code, 0, backup.stderr)
  const elsewhere = { ...environment, DATA_DIR: restoredData }
  const restore = await runCommand([service, 'restore', join(folder, 'backup')], elsewhere)
  assert.equal(restore.code, 0, restore.stderr)
  const answers = await readAnswers(recipe, settings, { paths, filled })
  for (const path of paths) assert.notEqual(answers[path], null, path)
  const afterRestore = await readAnswers(recipe, elsewhere, { paths, filled })
  const others = paths.filter((path) => missing(answers[path], afterRestore[path], path).length > 0)
  const restored = Object.fromEntries(others.map((path) => [path, afterRestore[path]]))
  const recorded: OlderData = { note, environment, ...filled, answers, restored }
  await writeFile(join(folder, 'recorded.json'), `${JSON.stringify(recorded, null, 1)}\n`)
}

const note =
  'Made by make.ts for older-data.test.ts. The keys, passwords and tokens open the data beside it and nothing else.'

async function readAnswers(
  { service, changing, signIn = signInByRequest }: OlderDataRecipe,
  settings: Record<string, string>,
  { paths, filled }: { paths: readonly string[]; filled: Pick<Filled, 'signIn'> },
): Promise<Record<string, unknown>> {
  await using opened = await startServiceProcess(service, settings)
  const visitor = createVisitor(opened.url)
  await signIn(visitor, filled.signIn)
  const answers: Record<string, unknown> = {}
  for (const path of paths) answers[path] = withoutMembers(await answerTo(visitor, path).catch(() => null), changing)
  return answers
}

async function fillService(recipe: OlderDataRecipe, settings: Record<string, string>): Promise<Filled> {
  await using running = await startServiceProcess(recipe.service, settings)
  const filled = await recipe.fill(createVisitor(running.url), settings['DATA_DIR'] ?? '')
  if (recipe.isKilled === true) await running.kill()
  else assert.equal(await running.stop(), 0)
  return filled
}

/** Options for testing a service's older data. */
export interface OlderDataChecks {
  /** The service runs on PostgreSQL too. */
  readonly hasPostgres?: boolean
  /** More settings, such as ports that are free. */
  readonly environment?: () => Promise<Record<string, string>>
  readonly signIn?: SignIn
  /** Notes a step that only a newer version has, in the database of a stopped service; in `<service>.db` when left out. */
  readonly makeNewer?: (service: string, settings: Record<string, string> & { DATA_DIR: string }) => Promise<void>
  /** Further checks, with the signed-in visitor. */
  readonly also?: (visitor: Visitor, recorded: OlderData, isRestored: boolean) => Promise<void>
}

/**
 * Adds tests that open an older version's data directory, restore its backup, compare every recorded answer, and go back from
 * a newer version by the command that the refused start names.
 */
export function testOlderData(service: string, folder: string, checks: OlderDataChecks = {}): void {
  const open = async (database: Record<string, string>, prepare: Prepare) => {
    const recorded = JSON.parse(await readFile(join(folder, 'recorded.json'), 'utf8')) as OlderData
    await using place = await temporaryDirectory('older-data')
    const environment = { ...recorded.environment, ...database, ...(await checks.environment?.()) }
    const settings = { ...environment, DATA_DIR: join(place.path, 'data') }
    await prepare(settings, (state) => checkOpened(service, checks, { settings, recorded, state }))
  }
  const restore = (database: Record<string, string>) =>
    open(database, async (settings, check) => {
      const { code, stderr } = await runCommand([service, 'restore', join(folder, 'backup')], settings)
      assert.equal(code, 0, stderr)
      await check('restored')
    })

  test('the data directory of an older version opens', () =>
    open({}, async (settings, check) => {
      await unpack(folder, settings.DATA_DIR)
      await check('opened')
      const [backup = ''] = await upgradeBackups(settings.DATA_DIR)
      const restore = await runCommand([service, 'restore', '--check', backup], settings)
      assert.deepEqual([restore.code, restore.stderr], [0, ''], 'the backup from before can be restored')
      assert.match(restore.stdout, /schema \S+, which a restore brings up to /)
      // What was migrated opens again, and needs no other backup.
      await check('opened')
      assert.deepEqual(await upgradeBackups(settings.DATA_DIR), [backup])
    }))
  test('a database of a newer version is refused, and the command that is named goes back', () =>
    open({}, async (settings, check) => {
      await unpack(folder, settings.DATA_DIR)
      const upgraded = await startServiceProcess(service, settings)
      assert.equal(await upgraded.stop(), 0)
      await (checks.makeNewer ?? noteNewerStep)(service, settings)
      const start = await runCommand([service, 'serve'], settings)
      assert.deepEqual([start.code, start.stdout], [1, ''])
      const [backup = ''] = await upgradeBackups(settings.DATA_DIR)
      assert.ok(start.stderr.trimEnd().endsWith(`: hearth ${service} restore ${backup}`), start.stderr)
      assert.equal(start.stderr.trimEnd().split('\n').length, 1, start.stderr)
      const back = await runCommand([service, 'restore', backup], settings)
      assert.equal(back.code, 0, back.stderr)
      assert.match(back.stderr, /the newer database was kept as /)
      await check('restored beside its files')
    }))
  test('the backup of an older version restores into an empty directory', () => restore({}))
  if (checks.hasPostgres !== false)
    test('the backup of an older version restores into PostgreSQL', { skip: postgresObstacle() }, async () =>
      restore({ DATABASE_URL: await createPostgresDatabase() }),
    )
}

async function unpack(folder: string, dataDirectory: string): Promise<void> {
  await mkdir(dataDirectory, { mode: 0o700 })
  await run('tar', ['-xzf', join(folder, 'data.tar.gz'), '--no-same-owner', '-C', dataDirectory])
}

/** Paths of the backups that were made before an upgrade. */
async function upgradeBackups(dataDirectory: string): Promise<string[]> {
  const directory = join(dataDirectory, 'backups')
  return (await readdir(directory)).map((name) => join(directory, name))
}

/** Notes a step that this version does not know. */
function noteNewerStep(service: string, { DATA_DIR }: { readonly DATA_DIR: string }): Promise<void> {
  using database = new DatabaseSync(join(DATA_DIR, `${service}.db`))
  database.exec(`insert into kysely_migration (name, timestamp) values ('9999-newer', '2030-01-01T00:00:00.000Z')`)
  return Promise.resolve()
}

/** Way that the data came here. A backup holds the database, and not the files beside it. */
type DataState = 'opened' | 'restored' | 'restored beside its files'

type Prepare = (
  settings: Record<string, string> & { DATA_DIR: string },
  check: (state: DataState) => Promise<void>,
) => Promise<void>

interface Opening {
  readonly settings: Record<string, string>
  readonly recorded: OlderData
  readonly state: DataState
}

async function checkOpened(
  service: string,
  { signIn = signInByRequest, also }: OlderDataChecks,
  { settings, recorded, state }: Opening,
): Promise<void> {
  await using opened = await startServiceProcess(service, settings)
  const isRestored = state !== 'opened'
  for (const { what, headers, path, isInBackup } of recorded.credentials) {
    // It may need nothing but the files.
    if (state === 'restored beside its files' && !isInBackup) continue
    const { status } = await createVisitor(opened.url).send('GET', path, { headers })
    assert.equal(status === 200, !isRestored || isInBackup, `${what} is answered ${status}`)
  }
  const visitor = createVisitor(opened.url)
  await signIn(visitor, recorded.signIn)
  const { answers, restored } = recorded
  const faults: string[] = []
  for (const [path, answer] of Object.entries(answers)) {
    const after = path in restored ? restored[path] : answer
    const expected = { opened: [answer], restored: [after], 'restored beside its files': [answer, after] }[state]
    if (expected.includes(null)) continue
    const found = await answerTo(visitor, path)
    const differences = expected.map((one) => missing(one, found, `GET ${path}`))
    if (differences.every(({ length }) => length > 0)) faults.push(...differences.flat())
  }
  assert.deepEqual(faults, [])
  await also?.(visitor, recorded, isRestored)
  assert.equal(await opened.stop(), 0)
}

/** Signs a visitor in. */
type SignIn = (visitor: Visitor, recorded: OlderData['signIn']) => Promise<void>

async function signInByRequest(visitor: Visitor, { path, json }: OlderData['signIn']): Promise<void> {
  await visitor.demand('POST', path, { json })
}

/** The body of an answer; of one that is no JSON its type and a digest. */
async function answerTo(visitor: Visitor, path: string): Promise<unknown> {
  const { status, body, type, bytes, text } = await visitor.send('GET', path)
  assert.equal(status, 200, `GET ${path} is answered ${status} ${text.slice(0, 500)}`)
  return body ?? { type, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function withoutMembers(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutMembers(item, names))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !names.includes(name))
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutMembers(member, names)]))
}

/** Lists where a value lacks something of an expected one, or differs from it; members that came later do not matter. */
function missing(expected: unknown, actual: unknown, at: string): string[] {
  if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null)
    return Object.is(expected, actual)
      ? []
      : [`${at}: ${JSON.stringify(actual)} in place of ${JSON.stringify(expected)}`]
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length))
    return [`${at}: ${JSON.stringify(actual)} in place of ${expected.length} items`]
  return Object.entries(expected).flatMap(([name, member]) =>
    missing(member, (actual as Record<string, unknown>)[name], `${at}/${name}`),
  )
}
