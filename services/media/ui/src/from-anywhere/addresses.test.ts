import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { bookmarkletFor, commandFor } from './addresses.ts'

test('the bookmark opens the service with the page it is clicked on', () => {
  const opened: string[] = []
  const location = { href: 'https://www.youtube.com/watch?v=a&t=5#x"y' }
  const bookmarklet = bookmarkletFor('https://media.example.org')
  assert.match(bookmarklet, /^javascript:/)
  const open = (address: string) => void opened.push(address)
  runInNewContext(bookmarklet.slice('javascript:'.length), { open, location, encodeURIComponent })
  assert.equal(opened.length, 1)
  const address = new URL(opened[0] ?? '')
  assert.deepEqual([address.origin, address.pathname], ['https://media.example.org', '/'])
  assert.equal(address.searchParams.get('url'), location.href)
})

test('the command names a token only where there are any', () => {
  assert.equal(commandFor('http://a:1', false), 'hearth media get --server http://a:1 -o . ADDRESS')
  assert.match(commandFor('http://a:1', true), /--token-file/)
})
