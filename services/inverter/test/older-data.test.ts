import { join } from 'node:path'
import { testOlderData } from '@hearth/testing'

testOlderData('inverter', join(import.meta.dirname, 'older-data'), { hasPostgres: false })
