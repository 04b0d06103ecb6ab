import { testMonitoring } from '@hearth/testing'
import { startService } from './in-process.ts'

testMonitoring('vpn', async () => {
  await using running = await startService()
  return running.service.app.metrics.names()
})
