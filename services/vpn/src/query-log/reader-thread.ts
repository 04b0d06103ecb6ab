import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { LogFile, type ClientRow, type LogView } from './log-file.ts'
import { clientsCalled, PageSearch } from './page-search.ts'
import type { FromReader, LoggedQuery, QuestionKind, Questions, RuleHits, ToReader } from './reading-thread.ts'
import type { Row } from './rows.ts'
import { previewRule } from './rule-preview.ts'
import { statisticsOf } from './statistics.ts'

/*
 * The thread that reads the query log, in the service process; started with the file's path as `workerData.file`. One question
 * at a time, see `query-log.ts`.
 */
const port = parentPort as MessagePort
const { file } = workerData as { file: string }
const log = new LogFile(file)
const search = new PageSearch()

const answers: { [K in QuestionKind]: (view: LogView, question: Questions[K][0]) => Questions[K][1] } = {
  list: (view, { filter, page }) => {
    const { rows, total } = search.find(view, filter, page)
    return { rows: queriesOf(view, rows), total }
  },
  statistics: (view, period) => statisticsOf(view, period),
  hits: ({ database }) =>
    database.prepare('SELECT rule, hits, last_at AS lastAt FROM rule_hit').all() as unknown as RuleHits[],
  clients: (view, text) => [...clientsCalled(view, text)],
  preview: (view, request) => previewRule(view, request),
}

port.on('message', (message: ToReader) => {
  const answer = answerTo(message)
  port.postMessage(answer)
})

function answerTo({ id, kind, question }: ToReader): FromReader {
  try {
    return { id, answer: log.withView((view) => answers[kind](view, question as never)) }
  } catch (error) {
    log.close()
    return { id, error: error instanceof Error ? error.message : String(error) }
  }
}

function queriesOf(view: LogView, rows: readonly Row[]): LoggedQuery[] {
  const texts = view.names.textsOf(rows.map(({ name }) => name))
  const clients = new Map(view.clients().map((client) => [client.number, client]))
  const upstreams = new Map(
    (view.database.prepare('SELECT * FROM upstream').all() as unknown as { id: number; label: string }[]).map(
      ({ id, label }) => [id, label],
    ),
  )
  const nothing = { status: 0, reason: 0, source: 0, traits: 0, rcode: 0, type: 0, upstream: 0 }
  return rows.map(({ id, at, name, client, kind, micros }) => {
    const { status, reason, source, traits, rcode, type, upstream } = view.kinds[kind] ?? nothing
    return {
      id,
      at,
      domain: texts.get(name) ?? '',
      client,
      peer: peerOf(clients.get(client)),
      status,
      reason,
      source,
      traits,
      rcode,
      type,
      upstream: upstreams.get(upstream) ?? null,
      micros,
    }
  })
}

function peerOf(row: ClientRow | undefined): LoggedQuery['peer'] {
  if (row === undefined) return null
  const [address] = JSON.parse(row.addresses) as string[]
  return { id: row.peer, name: row.name, address: address ?? null }
}
