import { testMonitoring } from '@hearth/testing'
import { startMedia } from './in-process.ts'

testMonitoring('media', async () => {
  await using media = await startMedia()
  return media.service.app.metrics.names()
})
