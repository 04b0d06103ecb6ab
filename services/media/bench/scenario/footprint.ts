import { openSealedStorage } from '@hearth/service'
import type { FootprintSubject } from '@hearth/testing'
import { readConfig } from '../../src/config.ts'
import { databaseDescription } from '../../src/database/description.ts'
import type { Tables } from '../../src/tables.ts'
import { addManyJobs } from './many-jobs.ts'

/** Media for the measurement of memory; it downloads nothing. */
export const subject: FootprintSubject = {
  service: 'media',
  limits: { service: 70 },
  environment: {},
  liveness: '/health',
  signIn: () => Promise.resolve(),
  hour: {
    '/': 20,
    '/metrics': 240,
    '/api/jobs?limit=50': 720,
    '/api/stats': 30,
    '/api/settings': 30,
  },
  large: {
    name: '100,000 jobs',
    async fill(folder) {
      const { database } = await openSealedStorage<Tables>(databaseDescription, readConfig({ DATA_DIR: folder }))
      await addManyJobs(database.query, 0, 100_000)
      await database.close()
    },
  },
}
