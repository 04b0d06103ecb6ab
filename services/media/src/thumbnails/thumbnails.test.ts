import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { migrate, openDatabase } from '@hearth/database'
import type { GuardedFetch } from '@hearth/outbound'
import { systemClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { PNG } from 'pngjs'
import { readCookieText } from '../cookies/cookie-text.ts'
import { createCookieJars } from '../cookies/jars.ts'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { readMediaUrl } from '../platforms/media-url.ts'
import { createPlatformHosts } from '../platforms/platform-hosts.ts'
import { MediaFailure, type MediaFailureCode } from '../tools/media-failure.ts'
import { PictureCache } from './picture-cache.ts'
import { Thumbnails } from './thumbnails.ts'

const picture = PNG.sync.write(new PNG({ width: 2, height: 2 }))
const reel = 'https://www.instagram.com/reel/Cabcdefghij/'

/** The feature with a platform that says one thing, and a web that has one picture. */
async function open(says: { code: MediaFailureCode } | { thumbnail: string }) {
  const place = await temporaryDirectory('thumbnails')
  const hosts = createPlatformHosts()
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const jars = createCookieJars({ db: database.query, sealer: createSealer(Buffer.alloc(32, 1)), clock: systemClock })
  const asked: string[] = []
  const fetch: GuardedFetch = async (url) => {
    asked.push(String(url))
    return { status: 200, headers: new Map([['content-type', 'image/png']]), url: String(url), body: picture }
  }
  const thumbnails = new Thumbnails({
    readUrl: (text) => Promise.resolve(readMediaUrl(text, hosts)),
    lookup: {
      find: () => {
        if ('code' in says) return Promise.reject(new MediaFailure(says.code))
        return Promise.resolve({ thumbnail: says.thumbnail, formats: [], json: '' })
      },
    },
    jars,
    hosts,
    fetch,
    pictures: new PictureCache({ folder: `${place.path}/pictures`, clock: systemClock }),
  })
  return {
    thumbnails,
    jars,
    asked,
    async [Symbol.asyncDispose]() {
      await database.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

test('missing cookies are named as the reason', async () => {
  await using world = await open({ code: 'login_required' })
  const { thumbnails, jars } = world
  assert.equal((await thumbnails.resolve(reel)).reason, 'instagram_cookies_missing')
  await jars.save('instagram', readCookieText('.instagram.com\tTRUE\t/\tTRUE\t0\tsessionid\tvalue', 'instagram'))
  assert.equal((await thumbnails.resolve(reel)).reason, null, 'they are there, so it is something else')
  await using other = await open({ code: 'removed' })
  assert.deepEqual(await other.thumbnails.resolve(reel), {
    thumbnail_url: null,
    cached: false,
    unavailable: true,
    reason: null,
  })
})

test('simultaneous requests for a picture share one fetch', async () => {
  await using world = await open({ thumbnail: 'https://scontent.cdninstagram.com/a.png' })
  const answers = await Promise.all([1, 2, 3].map(() => world.thumbnails.resolve(reel)))
  assert.equal(new Set(answers.map(({ thumbnail_url }) => thumbnail_url)).size, 1)
  assert.deepEqual(world.asked, ['https://scontent.cdninstagram.com/a.png'])
})

test('a picture on a foreign host is not fetched', async () => {
  await using world = await open({ thumbnail: 'http://169.254.169.254/latest/meta-data' })
  assert.equal((await world.thumbnails.resolve(reel)).unavailable, true)
  const media = readMediaUrl(reel, createPlatformHosts())
  assert.equal(await world.thumbnails.pathOf(media, 'http://169.254.169.254/latest/meta-data'), null)
  assert.equal(await world.thumbnails.pathOf(media, null), null)
  assert.deepEqual(world.asked, [])
})
