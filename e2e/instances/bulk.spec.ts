/** Several instances at once: selected by keys, by mouse and by finger; what is done with them, and what each answered. */
import { judge, newAccount, signIn } from '../account.ts'
import { configuration, pay } from '../instances.ts'
import { expect, test } from '../product.ts'

// All regions are simulated, and one machine with one A40 fills them.
test.use({ isSmall: true })

test('several are selected by the keyboard, started, stopped and deleted; what one refuses is told beside what the others did', async ({
  page,
  product,
}) => {
  test.slow()
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  for (const name of ['one', 'two', 'three', 'four'])
    await client.instances.create({ ...configuration, name, start: false })
  await signIn(page, account)
  await page.goto('/console/instances')
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^Select ${name} `) })
  const bar = page.getByRole('region', { name: 'Selected instances' })
  await expect(row('one')).toContainText('Stopped')
  await expect(bar).toHaveCount(0)

  await test.step('X selects, Shift takes a range and gives it back, Space leaves one out, Escape clears', async () => {
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await expect(bar).toContainText('1 selected')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+J')
    await expect(bar).toContainText('3 selected')
    await page.keyboard.press('Shift+ArrowUp')
    await expect(bar).toContainText('2 selected')
    await page.keyboard.press('Shift+End')
    await expect(bar).toContainText('4 selected')
    await page.keyboard.press('Home')
    await page.keyboard.press('Space')
    await expect(bar).toContainText('3 selected')
    await expect(bar).toContainText('Starting the 3 costs $2.25 per hour.')
    await judge(page, 'the list with a selection')
    await page.keyboard.press('Escape')
    await expect(bar).toHaveCount(0)
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keyboard' })).toContainText('Clear the selection')
    await page.keyboard.press('Escape')
  })

  await test.step('one gets the only card, the others are told why not, and one waits for it', async () => {
    await page.getByRole('checkbox', { name: 'Select four' }).click()
    await page.getByRole('checkbox', { name: 'Select two' }).click({ modifiers: ['Shift'] })
    await expect(bar).toContainText('3 selected')
    await bar.getByRole('button', { name: 'Start 3' }).click()
    await expect(bar).toContainText('1 of 3 started.')
    const failed = bar.getByRole('list', { name: 'What to look at' }).getByRole('listitem')
    await expect(failed).toHaveCount(2)
    await expect(failed.first()).toContainText(/In the queue it starts by itself; \$0\.\d\d is set aside/)
    await judge(page, 'the result of a start')
    await failed
      .first()
      .getByRole('button', { name: /^Try again: / })
      .click()
    await expect(failed).toHaveCount(2)
    await expect(bar).toContainText('1 of 3 started.')
    await failed
      .first()
      .getByRole('button', { name: /^Queue / })
      .click()
    await expect(bar).toContainText('1 of 2 in the queue.')
    // What was told of the other stays.
    await expect(failed).toHaveCount(1)
    await expect(page.getByText('place 1 in the queue')).toBeVisible()
  })

  await test.step('auto-shutdown changes for all of them, and back', async () => {
    await bar.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Auto-shutdown: after 15 idle minutes' }).click()
    await expect(bar).toContainText('All 3 changed.')
    const minutes = async () =>
      (await client.instances.list()).items.map(each => each.auto_shutdown_minutes).toSorted((a, b) => a - b)
    expect(await minutes()).toEqual([15, 15, 15, 60])
    await bar.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(minutes).toEqual([60, 60, 60, 60])
  })

  await test.step('the running one is stopped; all are deleted once their number is typed', async () => {
    await expect(page.getByRole('row').filter({ hasText: 'Running' }).first()).toBeVisible()
    await bar.getByRole('button', { name: 'Stop 1' }).click()
    await expect(bar).toContainText('1 stopped.')
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).click()
    await expect(bar).toContainText('4 selected')
    await bar.getByRole('button', { name: 'Delete 4' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete 4 instances' })
    await expect(dialog.getByRole('list', { name: 'To be deleted' }).getByRole('listitem')).toHaveCount(4)
    await expect(dialog).toContainText(/returns to your wallet/)
    await judge(page, 'deleting several')
    await dialog.getByLabel('Type 4 to confirm').fill('4')
    await dialog.getByRole('button', { name: 'Delete 4 instances' }).press('Enter')
    await expect(bar).toContainText('All 4 deleted.')
    await expect.poll(async () => (await client.instances.list()).items).toHaveLength(0)
  })
})

test('a finger that rests on a row selects it, and opens nothing', async ({ browser, product }) => {
  const account = await newAccount(product)
  const client = await product.clientOf(account)
  await pay(client)
  for (const name of ['left', 'right'])
    await client.instances.create({ ...configuration, name, start: false })
  const context = await browser.newContext({
    baseURL: product.url,
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  const page = await context.newPage()
  await signIn(page, account)
  await page.goto('/console/instances')
  const name = page.getByRole('link', { name: 'left' })
  const box = (await name.boundingBox())!
  const touches = await context.newCDPSession(page)
  const at = [{ x: box.x + 10, y: box.y + box.height / 2 }]
  await touches.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at })
  await expect(page.getByRole('checkbox', { name: 'Select left' })).toBeChecked()
  await touches.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await expect(page.getByRole('region', { name: 'Selected instances' })).toContainText('1 selected')
  await page.getByRole('checkbox', { name: 'Select right' }).tap()
  await expect(page.getByRole('region', { name: 'Selected instances' })).toContainText('2 selected')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  for (const { id } of (await client.instances.list()).items) await client.instances.delete({ id })
  await context.close()
})
