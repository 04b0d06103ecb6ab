import { glob, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { eventually, makeOlderData } from '@hearth/testing'
import { knows } from '../in-process.ts'
import { makePng } from '../pictures/make-png.ts'
import { startPlatform } from '../platform/platform.ts'
import { startStemService } from '../stem-service/stem-service.ts'
import { signInByForm } from './sign-in.ts'

/** Writes the data of `older-data.test.ts` with the code as it is now. Run by hand: `node services/media/test/older-data/make.ts`. */

const far = Date.parse('2100-01-01T00:00:00Z')
const account = { username: 'ada', password: 'correct horse battery' }
await using platform = await startPlatform()
await using stems = await startStemService()
const stemKey = 'KEY-OF-A-TEST'
stems.account(stemKey).minutes = 100

await makeOlderData(import.meta.dirname, {
  service: 'media',
  environment: {
    // 32 bytes in hexadecimal digits that anybody sees to be of a test.
    SECRET_KEY: '0123456789abcdef'.repeat(4),
    STEMSVC_BASE_URL: 'http://127.0.0.1:9',
    UPDATES_BASE_URL: 'http://127.0.0.1:9',
    WORKERS: '1',
  },
  fillingEnvironment: { ...knows(platform.host), STEMSVC_BASE_URL: stems.url },
  changing: ['csrf_token uses by_day url token_valid validation_error validated_at remaining_minutes'].flatMap(
    (names) => names.split(' '),
  ),
  signIn: signInByForm,
  async fill(visitor) {
    const reach = (id: string, ...ends: string[]) =>
      eventually(
        async () => (await visitor.demand('GET', `/api/jobs/${id}`)).status as string,
        (status) => ends.includes(status),
        { what: ends.join(' or '), seconds: 60 },
      )
    const submit = async (url: string) =>
      (await visitor.demand('POST', '/api/submit', { form: { url, type: 'audio', quality: 'max' } })).id as string
    const sound = await submit(platform.page('sound.opus', { title: 'Beat & more' }))
    await reach(sound, 'analysis_done')
    const failed = await submit(platform.page('sound.m4a', { id: 'missing', pace: 'missing' }))
    await reach(failed, 'error')
    const post = (path: string, json: object) => visitor.demand('POST', path, { json })
    await post('/api/settings', { session_idle_minutes: 1440, download_timeout_minutes: 33 })
    await post(`/api/trim/${sound}`, { start: 0, end: 1 })
    await visitor.demand('GET', `/api/waveform/${sound}`)
    const link = await post(`/api/share/${sound}`, {})
    await post('/api/settings', { share_link_max_uses: 3, share_link_expire_days: 0 })
    await post(`/api/share/${sound}`, {})
    const { pathname } = new URL(link.url as string)
    await post('/api/cookies/youtube/paste', {
      text: '.youtube.com\tTRUE\t/\tTRUE\t4102444800\tLOGIN_INFO\ta-test\n.youtube.com\tTRUE\t/\tTRUE\t4102444800\tSAPISID\ta-test\n',
    })
    const upload = makePng({ width: 64, height: 32 })
    await visitor.demand('POST', '/api/settings/watermark-logo', { upload })
    await post('/api/stemsvc/auth/activation-key', { email: 'someone@example.org', activation_key: stemKey })
    await post('/api/settings', {
      enable_authentication: true,
      admin_username: account.username,
      admin_password: account.password,
    })
    const signIn = { path: '/login', json: account }
    await signInByForm(visitor, signIn)
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return {
      signIn,
      credentials: [
        { what: 'a session', headers: { cookie }, path: '/api/jobs', isInBackup: true },
        { what: 'a share link', headers: {}, path: `${pathname}?download=1`, isInBackup: false },
      ],
      paths: [
        '/api/jobs',
        `/api/jobs/${sound}`,
        `/api/jobs/${failed}`,
        '/api/settings',
        '/api/stats',
        '/api/cookies',
        '/api/stemsvc/status',
        '/api/settings/watermark-logo',
        '/api/settings/watermark-logo/image',
        `/api/share/${sound}`,
        `/api/trim/${sound}`,
        `/api/trim/${sound}/0_1000/download`,
      ],
    }
  },
  async beforePacking(data) {
    // Large, and made again when somebody wants it.
    for await (const file of glob(join(data, 'artifacts/*/audio.mp3'))) await rm(file)
    const database = new DatabaseSync(join(data, 'media.db'))
    database.exec(`UPDATE sessions SET created_at = ${far}, last_used_at = ${far}`)
    database.close()
  },
})
