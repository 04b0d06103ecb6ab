import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { LogReader } from './log-reader.ts'
import type { FromReader, ToReader } from './reader-messages.ts'

/*
 * The thread that reads the query log, in the service process; started with the file's path as `workerData.file`. One question
 * at a time, see `query-log.ts`.
 */
const port = parentPort as MessagePort
const { file } = workerData as { file: string }
const reader = new LogReader(file)

port.on('message', (message: ToReader) => {
  const answer = answerTo(message)
  port.postMessage(answer)
})

function answerTo(message: ToReader): FromReader {
  try {
    return { id: message.id, answer: reader.answer(message) }
  } catch (error) {
    reader.close()
    return { id: message.id, error: error instanceof Error ? error.message : String(error) }
  }
}
