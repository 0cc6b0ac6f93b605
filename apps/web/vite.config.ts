import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { mdx } from './mdx-plugin.ts'
import { pages } from './pages-plugin.ts'

const port = process.env.INGOT_PORT ?? '8080'
/** Where development serves the pages; the build knows no origin. */
const origin = process.env.INGOT_PUBLIC_URL?.replace(/\/$/, '') ?? `http://localhost:${port}`
const api = { target: `http://127.0.0.1:${port}`, changeOrigin: false, ws: true }

export default defineConfig(({ command }) => ({
  /** Every HTML answer is made by the pages plugin: no fallback of Vite's own. */
  appType: 'custom',
  plugins: [mdx(), react(), tailwind(), pages({ origin, api: api.target })],
  build: {
    /** The browsers that know light-dark(), without which each colour would be written three times. */
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    /** Nothing inline: the content security policy allows no data: address. */
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  environments: {
    client: {
      build: {
        outDir: 'dist/client',
        emptyOutDir: true,
        manifest: true,
        rolldownOptions: { input: ['app.html', 'src/site/site.css', 'src/site/islands/main.ts'] },
      },
    },
    /** The site's search for the server, as a program that needs no package either. */
    search: {
      consumer: 'server',
      resolve: { noExternal: true },
      build: {
        outDir: 'dist/search',
        emptyOutDir: true,
        copyPublicDir: false,
        target: 'node24',
        minify: false,
        rolldownOptions: {
          input: 'src/site/search/engine.ts',
          preserveEntrySignatures: 'strict',
          output: { entryFileNames: 'search.js', codeSplitting: false, format: 'es' },
        },
      },
    },
    ssr: {
      /** One program with all that it needs: where the server runs, no package of the web is installed. */
      ...(command === 'build' && {
        resolve: { noExternal: true },
        define: { 'process.env.NODE_ENV': '"production"' },
      }),
      build: {
        outDir: 'dist/render',
        emptyOutDir: true,
        copyPublicDir: false,
        target: 'node24',
        minify: false,
        rolldownOptions: {
          input: 'render-pages.ts',
          output: { entryFileNames: 'render.js', codeSplitting: false },
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '^/v1/': api, '^/auth/v1/': api, '^/dev/api/': api },
  },
}))
