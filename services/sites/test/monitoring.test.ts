import { testMonitoring } from '@hearth/testing'
import { startSites } from './in-process.ts'

testMonitoring('sites', async () => {
  await using sites = await startSites()
  return sites.service.app.metrics.names()
})
