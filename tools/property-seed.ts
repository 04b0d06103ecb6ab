import { configureGlobal, readConfigureGlobal } from 'fast-check'
import { testSeed } from '@hearth/testing/test-seed'

// Loaded before each test file: properties try the values of the run's seed, so that a second try tries the same.
configureGlobal({ ...readConfigureGlobal(), seed: testSeed })
