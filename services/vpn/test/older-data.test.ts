import { join } from 'node:path'
import { testOlderData } from '@hearth/testing'

testOlderData('vpn', join(import.meta.dirname, 'older-data'))
