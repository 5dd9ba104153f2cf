// The one script: copies a value that is shown once. Without it the value can still be selected.
for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  const told = document.querySelector(`[data-copied-by="${button.dataset.copy}"]`);
  button.hidden = false;
  field.select();
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      told.textContent = "Copied.";
    } catch {
      field.select();
      told.textContent = "Press Ctrl+C or ⌘C to copy.";
    }
  });
}
