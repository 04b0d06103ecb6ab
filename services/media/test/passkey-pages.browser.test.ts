import { testSignInMethodPages } from '@hearth/testing'
import { startMedia } from './in-process.ts'

const account = { username: 'ada', password: 'correct horse battery' }

testSignInMethodPages(async () => {
  const media = await startMedia()
  const json = { enable_authentication: true, admin_username: account.username, admin_password: account.password }
  await media.json('POST', '/api/settings', { json })
  return {
    service: 'media',
    url: media.url,
    path: '/settings?tab=access',
    ...account,
    replacesPassword: false,
    [Symbol.asyncDispose]: () => Promise.resolve(media[Symbol.asyncDispose]()),
  }
})
