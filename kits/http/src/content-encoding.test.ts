import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { compressingHook } from './content-encoding.ts'

test('a compressed route answers in an accepted encoding and recompresses text that changed', async () => {
  const app = Fastify()
  let text = 'one description '.repeat(1000)
  app.get('/text', { onSend: compressingHook() }, (_request, reply) => reply.type('text/css').send(text))
  app.get('/json', { onSend: compressingHook() }, () => ({ text }))
  app.get('/wrong', { onSend: compressingHook() }, (_request, reply) => reply.code(404).send({ text }))
  const read = async (url: string, coding: string, method: 'GET' | 'HEAD' = 'GET') => {
    const reply = await app.inject({ method, url, headers: { 'accept-encoding': coding } })
    return { headers: reply.headers, bytes: reply.rawPayload }
  }
  for (const words of [text, 'another description '.repeat(1000)]) {
    text = words
    // The second answer comes from the cache.
    for (const _time of [1, 2]) {
      const brotli = await read('/text', 'gzip, br')
      assert.deepEqual([brotli.headers['content-encoding'], brotli.headers['vary']], ['br', 'accept-encoding'])
      assert.equal(brotliDecompressSync(brotli.bytes).toString(), text)
      const gzip = await read('/json', 'gzip')
      assert.equal(gzip.headers['content-encoding'], 'gzip')
      assert.match(String(gzip.headers['content-type']), /^application\/json/)
      assert.deepEqual(JSON.parse(gunzipSync(gzip.bytes).toString()), { text })
      const plain = await read('/text', 'identity')
      assert.deepEqual([plain.headers['content-encoding'], plain.headers['vary']], [undefined, 'accept-encoding'])
      assert.equal(plain.bytes.toString(), text)
      const head = await read('/text', 'br', 'HEAD')
      assert.deepEqual(
        [head.bytes.length, head.headers['content-encoding'], head.headers['content-length']],
        [0, 'br', String(brotli.bytes.length)],
      )
    }
  }
  assert.equal((await read('/wrong', 'br')).headers['content-encoding'], undefined)
  await app.close()
})
