import { basename } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { licencesOfFiles } from './scripts/licences-of-files.ts'
import { precompress } from './scripts/precompress.ts'

/** Served at /console/licenses.txt. */
const LICENCES = 'licenses.txt'

export default defineConfig({
  base: '/console/',
  plugins: [react(), licencesOfFiles(LICENCES), precompress()],
  // The client is compiled from its source: the console always uses the client of the same commit.
  resolve: { conditions: ['agent-console-source', 'module', 'browser', 'development|production'] },
  // The names of the sheets differ. A hash would cost a byte in the script and the style for each of its characters.
  css: {
    modules: { generateScopedName: (name, file) => `${basename(file, '.module.css')}-${name}` },
  },
  build: {
    target: 'baseline-widely-available',
    // light-dark() is newer than the script target; without this each colour would be written twice.
    cssTarget: ['chrome123', 'safari17.5', 'firefox120'],
    // The policy of the page allows no inline script and no data: URL in a script.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    manifest: true,
    rolldownOptions: {
      // What most pages share is two files instead of a hundred: small files compress badly. They leave out what the
      // page before sign-in needs: it has buttons, too.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'ui',
              test: /src\/(?:api|live|shared)\/(?!theme|styles|ui\/(?:class-names|(?:button|mark)\.module|modal))/,
              minShareCount: 8,
              includeDependenciesRecursively: false,
            },
            {
              name: 'libraries',
              test: /node_modules\/(?!oidc-client-ts|jwt-decode)/,
              minShareCount: 8,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
    license: { fileName: LICENCES },
  },
})
