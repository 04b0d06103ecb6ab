import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Client, isFirst } from './client.ts'

const url = 'https://www.youtube.com/watch?v=aaaaaaaaaaa'
const client = new Client(8103)
await client.openPage()
await client.call('GET', '/health')
if (isFirst) {
  client.headers['x-csrf-token'] = client.cookie('_csrf')
  await client.call('POST', '/api/submit', { url, type: 'audio', quality: 'max' })
}
assert.doesNotMatch(readFileSync('/trial/media.log', 'utf8'), /ffmpeg cannot be run/)
// Without the internet it fails, and stays in the list with the reason.
const jobs = await client.call<{ url: string }[]>('GET', '/api/jobs')
assert.deepEqual(
  jobs.map((job) => job.url),
  [url],
)
