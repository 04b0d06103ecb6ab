import type { DatabaseDescription } from '@hearth/service'
import { tableNames } from '../tables.ts'
import { migrations } from './migrations/index.ts'

/** The database of the service. */
export const databaseDescription: DatabaseDescription = { service: 'sites', migrations, tables: tableNames }
