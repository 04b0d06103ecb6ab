import { configureGlobal, readConfigureGlobal } from 'fast-check'

// Loaded before each test file on the build machine: every run there tries the same values, so that its result depends on the
// change alone. Anywhere else each run tries new ones.
configureGlobal({ ...readConfigureGlobal(), seed: 20_261_121 })
