import { isMainThread } from 'node:worker_threads'

// Loaded before each test file. A file whose test failed may leave something open that keeps its process for ever: it ends
// with the reason instead of holding up the run.
const limit = Number(process.env['TEST_FILE_LIMIT'])

if (isMainThread)
  setTimeout(() => {
    process.stderr.write(`still open after ${limit / 1000} s: ${process.getActiveResourcesInfo().join(', ')}\n`)
    process.exit(1)
  }, limit).unref()
