import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads'
import { JournalWriter } from './journal-writer.ts'
import type { FromWriter, ToWriter, WriterStart } from './writer-messages.ts'

/*
 * The thread that writes the query journal of a node, in the resolver process; started with a `WriterStart` as `workerData`. It stands
 * where the service has the thread that writes the query log.
 */
const pauseMs = 200

const port = parentPort as MessagePort
const start = workerData as WriterStart
const writer = new JournalWriter(start.file, start.rings, start)
const post = (message: FromWriter): void => port.postMessage(message)

let isStopping = false
let lost = 0
let failure: string | null = null

function write(clock?: () => number): void {
  const count = writer.write(clock)
  if (count > 0 || writer.lost !== lost) post({ type: 'wrote', count, lost: writer.lost })
  lost = writer.lost
  if (writer.failure !== failure) post({ type: 'failure', message: writer.failure })
  failure = writer.failure
}

function turn(): void {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
    take(next.message as ToWriter)
  while (writer.isDue(Date.now)) {
    write(Date.now)
    writer.closeWhenDue(Date.now())
    if (writer.failure !== null) break
  }
  writer.closeWhenDue(Date.now())
  if (isStopping) return finish()
  setTimeout(turn, pauseMs)
}

function finish(): void {
  for (let tries = 0; writer.waiting > 0 && tries < 64; tries += 1) {
    write()
    writer.closeWhenDue(Date.now())
  }
  writer.closeWhenDue(Date.now(), true)
  post({ type: 'done', task: 'stop', error: writer.failure })
  port.close()
}

function take(message: ToWriter): void {
  switch (message.type) {
    case 'settings':
      writer.retentionDays = message.retentionDays
      return
    case 'upstreams':
      return writer.useUpstreams(message.labels)
    case 'purge':
      return post({ type: 'done', task: 'purge', id: message.id, removed: 0, error: 'this is the journal of a node' })
    case 'batch':
      return post({ type: 'done', task: 'batch', id: message.id, last: 0, error: 'this is the journal of a node' })
    case 'clients':
    case 'clients-changed':
      return
    case 'stop':
      isStopping = true
  }
}

writer.start()
port.on('message', take)
turn()
