import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GuardedRequest, OpenGuarded } from '@hearth/outbound'
import { MediaUrlError, readMediaUrl, type MediaUrlErrorCode } from './media-url.ts'
import { createPlatformHosts } from './platform-hosts.ts'
import { resolveShortLink } from './read-url.ts'

const hosts = createPlatformHosts([{ platform: 'tiktok', host: '127.0.0.1', port: 9000 }])

/** The platforms, as far as they redirect; addresses without an entry answer with a page. */
function platformsOf(redirects: Record<string, string>) {
  const asked: { url: string; request: GuardedRequest | undefined }[] = []
  const open: OpenGuarded = async (url, request) => {
    const text = String(url)
    asked.push({ url: text, request })
    const location = redirects[text]
    return {
      status: location === undefined ? 200 : 302,
      headers: new Map(location === undefined ? [] : [['location', location]]),
      url: text,
      body: (async function* () {})(),
      [Symbol.asyncDispose]: async () => undefined,
    }
  }
  return { open, asked, hosts }
}

const short = 'https://vm.tiktok.com/ZMabc123/'
const video = 'https://www.tiktok.com/@user/video/7234567890123456789'
const follow = (redirects: Record<string, string>, from = short) =>
  resolveShortLink(readMediaUrl(from, hosts), platformsOf(redirects))
const faultIs = (fault: MediaUrlErrorCode) => (error: unknown) =>
  error instanceof MediaUrlError && error.fault === fault

test('a short link resolves to the address and key of its video', async () => {
  const direct = await follow({ [short]: `${video}?_r=1&_t=x#y` })
  assert.deepEqual([direct.url, direct.key, direct.isShortLink], [video, 'tiktok:7234567890123456789', false])
  const platforms = platformsOf({
    'https://www.facebook.com/share/v/1Abc23/': '/share/r/2Def45/?x=1',
    'https://www.facebook.com/share/r/2Def45/?x=1': 'https://m.facebook.com/a/page/on/the/way',
    'https://m.facebook.com/a/page/on/the/way': 'https://www.facebook.com/watch/?v=1234567890&ref=share',
  })
  const media = readMediaUrl('https://www.facebook.com/share/v/1Abc23/', hosts)
  assert.equal((await resolveShortLink(media, platforms)).key, 'facebook:1234567890')
  assert.equal(platforms.asked.length, 3)
  for (const { request } of platforms.asked)
    assert.deepEqual(Object.keys(request?.headers ?? {}), ['user-agent', 'accept'])
})

test('no request is sent for an address that is no short link', async () => {
  const platforms = platformsOf({})
  const media = readMediaUrl(video, hosts)
  assert.deepEqual(await resolveShortLink(media, platforms), media)
  assert.equal(platforms.asked.length, 0)
})

test('a redirect that leaves the platform, https or the plain address form is not followed', async () => {
  const targets = [
    'https://example.org/',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'http://www.tiktok.com/@user/video/7234567890123456789',
    'https://www.tiktok.com:8443/@user/video/7234567890123456789',
    'https://user@www.tiktok.com/@user/video/7234567890123456789',
    'https://www.tiktok.com./@user/video/7234567890123456789',
    'https://127.0.0.1/',
    'http://127.0.0.1:9000/extra',
    'http://169.254.169.254/latest',
    'javascript:alert(1)',
    'http://[',
  ]
  for (const target of targets) await assert.rejects(follow({ [short]: target }), faultIs('short-link'), target)
})

test('a short link to nothing, to photos or in a loop is reported as such', async () => {
  await assert.rejects(follow({}), faultIs('short-link'))
  await assert.rejects(follow({ [short]: 'https://www.tiktok.com/' }), faultIs('short-link'))
  await assert.rejects(
    follow({ [short]: 'https://www.tiktok.com/@user/photo/7234567890123456789' }),
    faultIs('photo-post'),
  )
  await assert.rejects(follow({ [short]: short }), /more than 5 redirects/)
  const chain = Array.from({ length: 6 }, (_, step) => [
    `https://www.tiktok.com/${step}`,
    `https://www.tiktok.com/${step + 1}`,
  ])
  await assert.rejects(
    follow({ [short]: 'https://www.tiktok.com/0', ...Object.fromEntries(chain) }),
    /more than 5 redirects/,
  )
})

test('a refusal of the outbound policy is passed on', async () => {
  const open: OpenGuarded = () => Promise.reject(new Error('refused'))
  await assert.rejects(resolveShortLink(readMediaUrl(short, hosts), { open, hosts }), /^Error: refused$/)
})
