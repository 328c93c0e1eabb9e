# The formula for Homebrew. packaging/scripts/render fills in the version and the sums.
class Pct < Formula
  desc "Decodes, encodes, searches and counts the URLs of logs and tables"
  homepage "https://github.com/percent-simd/percent-simd"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@URL aarch64-apple-darwin.tar.gz@"
      sha256 "@SUM aarch64-apple-darwin.tar.gz@"
    end
  end
  on_linux do
    on_intel do
      url "@URL x86_64-unknown-linux-musl.tar.gz@"
      sha256 "@SUM x86_64-unknown-linux-musl.tar.gz@"
    end
    on_arm do
      url "@URL aarch64-unknown-linux-musl.tar.gz@"
      sha256 "@SUM aarch64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "pct"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/pct.bash" => "pct"
    zsh_completion.install "completions/pct.zsh" => "_pct"
    fish_completion.install "completions/pct.fish"
  end

  test do
    assert_equal "a b%0Ac\n", pipe_output("#{bin}/pct decode", "a%20b%0Ac\n")
  end
end
