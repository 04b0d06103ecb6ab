import { join } from 'node:path'
import { testOlderData } from '@hearth/testing'
import { signInByForm } from './older-data/sign-in.ts'

testOlderData('media', join(import.meta.dirname, 'older-data'), { signIn: signInByForm })
