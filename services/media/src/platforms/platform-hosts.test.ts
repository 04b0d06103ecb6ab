import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSettings } from '@hearth/runtime'
import { z } from 'zod'
import { extraPlatformHosts } from './platform-hosts.ts'

const schema = z.object({ EXTRA_PLATFORM_HOSTS: extraPlatformHosts })
const parse = (text?: string) =>
  parseSettings(schema, text === undefined ? {} : { EXTRA_PLATFORM_HOSTS: text }).EXTRA_PLATFORM_HOSTS

test('the setting lists hosts and ports per platform', () => {
  assert.deepEqual(parse(), [])
  assert.deepEqual(parse('youtube=127.0.0.1:9000, tiktok = Media.Home , youtube=[::1]:80,youtube=127.0.0.1'), [
    { platform: 'youtube', host: '127.0.0.1', port: 9000 },
    { platform: 'tiktok', host: 'media.home', port: undefined },
    { platform: 'youtube', host: '::1', port: 80 },
    { platform: 'youtube', host: '127.0.0.1', port: undefined },
  ])
})

test('a wrong entry is named with the reason', () => {
  const wrong: [string, RegExp][] = [
    ['127.0.0.1:9000', /^EXTRA_PLATFORM_HOSTS: entry 2 must begin with one of youtube=/],
    ['vimeo=a.home', /entry 2 must begin with one of/],
    ['youtube=', /entry 2 must name a host/],
    ['youtube=a.home:0', /entry 2 must have a port/],
    ['youtube=a.home:65536', /entry 2 must have a port/],
    ['youtube=a.home:80x', /entry 2 must name a host/],
    ['youtube=http://a.home', /entry 2 must name a host/],
    ['youtube=a.home/path', /entry 2 must name a host/],
    ['tiktok=www.youtube.com', /entry 2 names a host that belongs to youtube already/],
    ['tiktok=fine.home', /entry 2 names a host that was named before/],
  ]
  for (const [entry, message] of wrong) assert.throws(() => parse(`youtube=fine.home,${entry}`), { message }, entry)
})
